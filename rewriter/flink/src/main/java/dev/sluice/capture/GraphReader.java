package dev.sluice.capture;

import dev.sluice.capture.CaptureException.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.apache.flink.streaming.api.transformations.SideOutputTransformation;
import org.apache.flink.util.OutputTag;

/** Describes a captured job. */
final class GraphReader {
    private GraphReader() {}

    static Graph read(CapturedJob job) throws CaptureException {
        StreamExecutionEnvironment env = job.environment();
        Map<Integer, String> hashes = hashes(job);
        Map<Integer, List<Graph.SideOutput>> tags = tags(job);
        List<String> warnings = new ArrayList<>();
        NodeReader reader =
                new NodeReader(job, hashes, tags, Thread.currentThread().getContextClassLoader());
        List<Graph.Node> nodes = new ArrayList<>();
        for (Transformation<?> transformation : job.transformations()) {
            Graph.Node node = reader.read(transformation);
            nodes.add(node);
            if (node.output() != null) {
                String problem = Functions.problem(transformation.getOutputType());
                if (problem != null) {
                    warnings.add(
                            "the type of node " + node.id() + " (" + node.name() + ") can't be serialized: " + problem);
                }
            }
        }
        String problem = Functions.problem(env.getConfig());
        if (problem != null) {
            warnings.add("the job's configuration can't be serialized: " + problem);
        }
        Graph.Job whole = new Graph.Job(
                job.jobName(),
                job.mainClass(),
                job.args(),
                null,
                env.getParallelism(),
                env.getConfig().getAutoWatermarkInterval(),
                env.getConfig().isObjectReuseEnabled());
        return new Graph(
                Graph.FORMAT,
                EnvironmentInformation.getVersion(),
                Runtime.version().feature(),
                whole,
                GraphDigest.of(nodes),
                List.copyOf(nodes),
                List.copyOf(warnings));
    }

    /** The operator ids that the job would have uncut, by {@link Transformation#getId()}. */
    private static Map<Integer, String> hashes(CapturedJob job) throws CaptureException {
        try {
            StreamGraph graph = job.environment().getStreamGraph(false);
            if (graph.getJobType() == JobType.BATCH) {
                throw new CaptureException(Problem.BATCH, "the job runs in batch mode (execution.runtime-mode)");
            }
            Map<Integer, String> hashes = new HashMap<>();
            new StreamGraphHasherV2()
                    .traverseStreamGraphAndGenerateHashes(graph)
                    .forEach((id, hash) -> hashes.put(id, HexFormat.of().formatHex(hash)));
            return hashes;
        } catch (RuntimeException e) {
            throw new CaptureException(
                    Problem.THREW, "Flink does not take the job: " + e.getMessage() + MainFailure.since(e), e);
        }
    }

    private static Map<Integer, List<Graph.SideOutput>> tags(CapturedJob job) {
        Map<Integer, List<Graph.SideOutput>> tags = new HashMap<>();
        for (Transformation<?> transformation : job.transformations()) {
            if (transformation instanceof SideOutputTransformation<?> side) {
                Graph.SideOutput tag = tag(side.getOutputTag());
                tags.computeIfAbsent(job.id(side), id -> new ArrayList<>()).add(tag);
                for (Transformation<?> producer : side.getInputs()) {
                    List<Graph.SideOutput> read = tags.computeIfAbsent(job.id(producer), id -> new ArrayList<>());
                    if (!read.contains(tag)) {
                        read.add(tag);
                    }
                }
            }
        }
        return tags;
    }

    private static Graph.SideOutput tag(OutputTag<?> tag) {
        return new Graph.SideOutput(tag.getId(), TypeTree.of(tag.getTypeInfo()));
    }
}
