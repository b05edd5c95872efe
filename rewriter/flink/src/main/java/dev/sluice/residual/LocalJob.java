package dev.sluice.residual;

import dev.sluice.capture.CaptureException;
import dev.sluice.capture.CapturedJob;
import dev.sluice.capture.Graph;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.LegacySinkTransformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.streaming.api.transformations.TimestampsAndWatermarksTransformation;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

/** Makes a captured job one that reads files, writes files and depends on neither time nor threads. */
final class LocalJob {
    private static final TypeInformation<?> BYTES = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

    private final CapturedJob job;
    private final Graph graph;
    private final LocalRequest request;
    private final Plan plan;
    private final GraphCut cut;
    private final Wiring wiring;
    private final List<Recorded> recorded = new ArrayList<>();

    /**
     * What is written.
     *
     * @param node a sink, or a prefix's boundary
     */
    record Recorded(int node, String name, Path file) {}

    /**
     * @param plan null for none
     */
    LocalJob(CapturedJob job, LocalRequest request, Plan plan) throws CaptureException {
        this.job = job;
        this.graph = job.graph();
        this.request = request;
        this.plan = plan;
        this.cut = new GraphCut(job);
        this.wiring = new Wiring(job.environment());
    }

    /** What {@link #build} let the job write. */
    List<Recorded> recorded() {
        return recorded;
    }

    /** Changes the job and translates it. */
    StreamGraph build() {
        List<Transformation<?>> boundaries = new ArrayList<>();
        request.inputs().forEach((name, file) -> {
            Optional<PlannedInput> planned = plan == null ? Optional.empty() : plan.input(name);
            if (planned.isPresent() && request.mode() == LocalRequest.Mode.SPLIT) {
                readBoundary(planned.get(), file);
                return;
            }
            int source = planned.map(input -> prefix(input).source()).orElseGet(() -> source(name));
            Transformation<?> in = readSource(source, file);
            if (request.mode() == LocalRequest.Mode.PREFIX) {
                planned.ifPresent(input -> boundaries.add(recordBoundary(input, in)));
            }
        });
        if (request.mode() == LocalRequest.Mode.PREFIX) {
            job.environment().getTransformations().clear();
            boundaries.forEach(job.environment()::addOperator);
        } else {
            recordSinks();
        }
        settle();
        return job.environment().getStreamGraph(false);
    }

    private static Prefix prefix(PlannedInput input) {
        if (input.prefix() == null) {
            throw new IllegalArgumentException("the plan of input " + input.name() + " does not say what moved");
        }
        return input.prefix();
    }

    private void readBoundary(PlannedInput input, Path file) {
        Prefix prefix = prefix(input);
        var source = new EventFileSource<>(file, cut.type(prefix), input.lastType(), null, true);
        cut.replace(prefix, source, WatermarkStrategy.noWatermarks(), input.name(), null);
    }

    /** Puts the file in the place of a source; the job's own strategy goes on to make the watermarks. */
    private Transformation<?> readSource(int id, Path file) {
        Graph.Node node = node(id);
        if (node.source() == null) {
            throw new IllegalArgumentException("node " + id + ", '" + node.name() + "', is no source");
        }
        Transformation<?> origin = origin(job.transformation(id));
        List<Integer> nodes = List.of(id, job.id(origin));
        String name = node.name();
        EventFileSource<Object> source =
                switch (node.source().reads()) {
                    case "text" -> new EventFileSource<>(
                            file, BasicTypeInfo.STRING_TYPE_INFO, "\"string\"", null, false);
                    case "bytes" -> new EventFileSource<>(file, BYTES, "\"bytes\"", null, false);
                    case "schema" -> new EventFileSource<>(file, BYTES, "\"bytes\"", parser(node), false);
                    default -> throw new IllegalArgumentException("source '" + name + "' reads "
                            + node.source().reads() + ": a file can't stand in its place");
                };
        return cut.replace(new Prefix(id, nodes, job.id(origin)), source, watermarks(node), name, null);
    }

    @SuppressWarnings("unchecked") // The source makes its events by this schema.
    private static DeserializationSchema<Object> parser(Graph.Node source) {
        return (DeserializationSchema<Object>) source.function().object();
    }

    @SuppressWarnings("unchecked") // Its events are what the file has.
    private WatermarkStrategy<Object> watermarks(Graph.Node node) {
        Object strategy = node.watermarks() == null ? null : node.watermarks().object();
        if (job.transformation(node.id()) instanceof SourceTransformation<?, ?, ?> source) {
            strategy = source.getWatermarkStrategy();
        }
        return strategy instanceof WatermarkStrategy<?> own
                ? new EagerWatermarks<>((WatermarkStrategy<Object>) own)
                : WatermarkStrategy.noWatermarks();
    }

    /** What makes a source's events: itself, or the operator that reads the files that it names. */
    private Transformation<?> origin(Transformation<?> source) {
        for (Graph.Node node : graph.nodes()) {
            if ("file_reader".equals(node.operator()) && node.inputs().contains(job.id(source))) {
                return job.transformation(node.id());
            }
        }
        return source;
    }

    private int source(String name) {
        List<Graph.Node> found = graph.nodes().stream()
                .filter(node -> node.source() != null)
                .filter(node ->
                        name.equals(Integer.toString(node.id())) || name.equals(node.uid()) || name.equals(node.name()))
                .toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException(found.size() + " sources of the job have the id, uid or name " + name);
        }
        return found.get(0).id();
    }

    private Graph.Node node(int id) {
        return graph.nodes().stream()
                .filter(node -> node.id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the job has no node " + id));
    }

    private Transformation<?> recordBoundary(PlannedInput input, Transformation<?> in) {
        Prefix prefix = prefix(input);
        Transformation<?> boundary = job.transformation(prefix.boundary());
        if (boundary == origin(job.transformation(prefix.source()))) {
            boundary = in;
        }
        return recordBoundary(input, boundary, prefix.boundary());
    }

    private <T> Transformation<?> recordBoundary(PlannedInput input, Transformation<T> boundary, int node) {
        Path file = request.out().resolve(input.name() + ".events");
        recorded.add(new Recorded(node, input.name(), file));
        var operator = new RecordBoundary<>(file, boundary.getOutputType(), input.lastType());
        return record(boundary, operator);
    }

    private void recordSinks() {
        for (Transformation<?> each : wiring.all()) {
            if (each instanceof SinkTransformation<?, ?> || each instanceof LegacySinkTransformation<?>) {
                recordSink(each, each.getInputs().get(0));
                wiring.remove(List.of(each));
            }
        }
    }

    private <T> void recordSink(Transformation<?> sink, Transformation<T> input) {
        int node = job.id(sink);
        Path file = request.out().resolve(node + ".records");
        recorded.add(new Recorded(node, sink.getName(), file));
        var operator = new RecordSink<>(file, input.getOutputType());
        job.environment().addOperator(record(input, operator));
    }

    private static <T> Transformation<T> record(Transformation<T> input, OneInputStreamOperator<T, T> operator) {
        var recorder = new OneInputTransformation<T, T>(
                input, "record", SimpleOperatorFactory.of(operator), input.getOutputType(), 1);
        recorder.setChainingStrategy(ChainingStrategy.ALWAYS);
        return recorder;
    }

    /** One subtask of each operator, no timers for watermarks, no checkpoints, no restarts. */
    private void settle() {
        StreamExecutionEnvironment env = job.environment();
        Configuration settled = new Configuration();
        settled.setString("execution.runtime-mode", "STREAMING");
        settled.setString("restart-strategy.type", "disable");
        env.configure(settled);
        env.getCheckpointConfig().disableCheckpointing();
        env.getConfig().setAutoWatermarkInterval(0);
        env.setParallelism(1);
        for (Transformation<?> each : wiring.all()) {
            each.setParallelism(1);
            if (each instanceof TimestampsAndWatermarksTransformation<?> assigner) {
                Wiring.set(each, "watermarkStrategy", new EagerWatermarks<>(assigner.getWatermarkStrategy()));
            } else if (each instanceof WithBoundedness source) {
                check(each, source);
            }
        }
    }

    private static void check(Transformation<?> source, WithBoundedness boundedness) {
        if (boundedness.getBoundedness() != Boundedness.BOUNDED) {
            throw new IllegalArgumentException("source '" + source.getName() + "' has no file, and does not end");
        }
    }
}
