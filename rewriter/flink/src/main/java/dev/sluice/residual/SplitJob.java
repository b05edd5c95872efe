package dev.sluice.residual;

import dev.sluice.capture.Capture;
import dev.sluice.capture.CaptureException;
import dev.sluice.capture.CapturedJob;
import dev.sluice.capture.Graph;
import dev.sluice.source.FrameSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** The user's job with frame sources in the place of what moved out of it. */
final class SplitJob {
    private final CapturedJob job;
    private final Plan plan;
    private final Graph before;
    private final OperatorHashes hashes;
    private final StreamGraph graph;

    private SplitJob(CapturedJob job, Plan plan, Graph before, OperatorHashes hashes, StreamGraph graph) {
        this.job = job;
        this.plan = plan;
        this.before = before;
        this.hashes = hashes;
        this.graph = graph;
    }

    /** Makes the source of an input. */
    interface Sources {
        Source<?, ?, ?> of(PlannedInput input, TypeInformation<?> type) throws ExitException;
    }

    /** Frame sources on this Kafka. */
    static Sources frames(LauncherSettings settings) {
        return (input, type) -> {
            try {
                return new FrameSource<>(settings.kafka(), Deployment.deployed(input), type);
            } catch (IllegalArgumentException e) {
                throw new ExitException(
                        ExitException.USAGE,
                        "the type of input " + input.name() + " is not the planned one: " + e.getMessage());
            }
        };
    }

    /**
     * Runs the job's {@code main} once more, checks that it is the planned job, and cuts it.
     *
     * @param outer Flink's settings where it runs; the job's own come on top
     * @param over settings that come on top of those
     */
    static SplitJob of(Plan plan, Sources sources, ClassLoader loader, Configuration outer, Configuration over)
            throws ExitException {
        try {
            String[] args = Arguments.expand(plan.job().args(), System.getenv());
            CapturedJob job = Capture.run(plan.job().mainClass(), args, loader, outer);
            Graph before = job.graph();
            GraphMatch.check(before, plan);
            OperatorHashes hashes = new OperatorHashes(job);
            GraphCut cut = new GraphCut(job);
            List<Transformation<?>> added = new ArrayList<>();
            for (PlannedInput input : plan.inputs()) {
                added.add(cut(cut, plan, input, sources.of(input, cut.type(input.prefix()))));
            }
            job.environment().configure(over, loader);
            StreamGraph graph = job.environment().getStreamGraph(false);
            graph.setJobName(plan.query() + "." + plan.version() + " " + job.jobName());
            hashes.keepIn(graph, added);
            return new SplitJob(job, plan, before, hashes, graph);
        } catch (CaptureException | IllegalArgumentException e) {
            throw new ExitException(ExitException.USAGE, e.getMessage(), e);
        }
    }

    private static <T> Transformation<?> cut(GraphCut cut, Plan plan, PlannedInput input, Source<T, ?, ?> source) {
        String uid = PlannedInput.uid(plan.query(), plan.version(), input.name());
        String name = "frames of " + plan.query() + "." + input.name();
        // The frame source makes the watermarks.
        return cut.replace(input.prefix(), source, WatermarkStrategy.noWatermarks(), name, uid);
    }

    /** The job, ready to be executed. */
    StreamGraph graph() {
        return graph;
    }

    /** All settings under which the job was built: those around it, and its own on top. */
    Configuration settings() {
        return Configuration.fromMap(job.environment().getConfiguration().toMap());
    }

    /** What a checkpoint is compared with that this job is to start from. */
    SavepointCheck savepointCheck() {
        Set<OperatorID> leftBehind = new HashSet<>();
        for (PlannedInput input : plan.inputs()) {
            for (int node : input.prefix().nodes()) {
                if (isPosition(node)) {
                    hashes.id(job.transformation(node)).ifPresent(leftBehind::add);
                }
            }
            for (int version = 1; version < plan.version(); version++) {
                leftBehind.add(OperatorHashes.ofUid(PlannedInput.uid(plan.query(), version, input.name())));
            }
        }
        return new SavepointCheck(OperatorHashes.all(graph), leftBehind, hashes.names());
    }

    /** Whether the state of a node is how far a source was read. */
    private boolean isPosition(int id) {
        Graph.Node node = before.nodes().get(id - 1);
        return node.source() != null || "file_reader".equals(node.operator());
    }
}
