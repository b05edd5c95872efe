package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.capture.Capture;
import dev.sluice.capture.CapturedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

/** What stays of a job is as it was. */
class GraphCutTest {
    private static final Prefix PARSED = new Prefix(1, List.of(1, 2), 2);

    private static CapturedJob placed() throws Exception {
        return Capture.run(
                Shapes.Placed.class.getName(), new String[0], GraphCutTest.class.getClassLoader(), new Configuration());
    }

    /** An operator and how it is fed. */
    private record Operator(int parallelism, String slotSharing, String chaining, boolean hasUid, List<String> fed) {
        static Operator of(StreamNode node) {
            List<String> fed = new ArrayList<>();
            for (StreamEdge edge : node.getInEdges()) {
                fed.add(edge.getPartitioner() + " " + edge.getOutputTag());
            }
            return new Operator(
                    node.getParallelism(),
                    node.getSlotSharingGroup(),
                    String.valueOf(node.getOperatorFactory().getChainingStrategy()),
                    node.getTransformationUID() != null,
                    fed);
        }
    }

    private static TreeMap<String, Operator> operators(StreamGraph graph) {
        TreeMap<String, Operator> operators = new TreeMap<>();
        graph.getStreamNodes().forEach(node -> operators.put(node.getOperatorName(), Operator.of(node)));
        return operators;
    }

    private static Transformation<?> cut(CapturedJob job, Prefix prefix) {
        return new GraphCut(job)
                .replace(prefix, new QueueSource<>("cut"), WatermarkStrategy.noWatermarks(), "frames", "q.1.in");
    }

    @Test
    void everythingElseStays() throws Exception {
        CapturedJob job = placed();
        TreeMap<String, Operator> whole = operators(job.environment().getStreamGraph(false));
        Transformation<?> source = cut(job, PARSED);
        TreeMap<String, Operator> split = operators(job.environment().getStreamGraph(false));

        Operator frames = split.remove("Source: frames");
        Operator parse = whole.remove("parse");
        whole.remove("Source: Socket Stream");
        assertEquals(whole, split);
        assertEquals(parse.parallelism(), frames.parallelism());
        assertEquals(parse.slotSharing(), frames.slotSharing());
        assertEquals("q.1.in", source.getUid());
        assertEquals(job.transformation(2).getOutputType(), source.getOutputType());
    }

    @Test
    void operatorsKeepTheirIds() throws Exception {
        CapturedJob job = placed();
        Set<OperatorID> whole =
                new TreeSet<>(OperatorHashes.all(job.environment().getStreamGraph(false)));
        OperatorHashes hashes = new OperatorHashes(job);
        for (int moved : PARSED.nodes()) {
            whole.remove(hashes.id(job.transformation(moved)).orElseThrow());
        }
        Transformation<?> source = cut(job, PARSED);
        StreamGraph graph = job.environment().getStreamGraph(false);
        hashes.keepIn(graph, List.of(source));
        Set<OperatorID> split = new TreeSet<>(OperatorHashes.all(graph));
        split.remove(OperatorHashes.ofUid("q.1.in"));
        assertEquals(whole, split);
    }

    @Test
    void whatIsNotThereCanNotBeCut() throws Exception {
        CapturedJob job = placed();
        assertThrows(IllegalArgumentException.class, () -> cut(job, new Prefix(1, List.of(1, 99), 99)));
    }
}
