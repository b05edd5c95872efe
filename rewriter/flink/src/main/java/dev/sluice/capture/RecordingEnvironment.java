package dev.sluice.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/** An environment in which the first {@code execute} of the program is noted, and ends its {@code main}. */
final class RecordingEnvironment extends StreamExecutionEnvironment {
    private static final String DEFAULT_NAME = "Flink Streaming Job";

    private final AtomicReference<Execution> first;

    /** What the last graph was made of that was taken from here, since taking it may empty the list. */
    private List<Transformation<?>> taken = List.of();

    RecordingEnvironment(Configuration configuration, ClassLoader loader, AtomicReference<Execution> first) {
        super(configuration, loader);
        this.first = first;
    }

    @Override
    public JobExecutionResult execute(String jobName) {
        throw record(jobName, transformations);
    }

    @Override
    public JobExecutionResult execute(StreamGraph graph) {
        throw record(graph.getJobName(), taken);
    }

    @Override
    public JobClient executeAsync(String jobName) {
        throw record(jobName, transformations);
    }

    @Override
    public JobClient executeAsync(StreamGraph graph) {
        throw record(graph.getJobName(), taken);
    }

    @Override
    public StreamGraph getStreamGraph(boolean clearTransformations) {
        taken = List.copyOf(transformations);
        return super.getStreamGraph(clearTransformations);
    }

    @Override
    public StreamGraph generateStreamGraph(List<Transformation<?>> some) {
        taken = List.copyOf(some);
        return super.generateStreamGraph(some);
    }

    private JobRecorded record(String name, List<Transformation<?>> executed) {
        List<Transformation<?>> kept = new ArrayList<>(executed);
        if (first.compareAndSet(null, new Execution(this, nameOf(name), CallPath.ofCaller()))) {
            transformations.clear();
            transformations.addAll(kept);
        } else {
            first.get().again = true;
        }
        return new JobRecorded();
    }

    private String nameOf(String name) {
        return name != null
                ? name
                : configuration.getOptional(PipelineOptions.NAME).orElse(DEFAULT_NAME);
    }

    /** The first {@code execute}. */
    static final class Execution {
        final RecordingEnvironment environment;
        final String jobName;
        final List<CallPath.Call> path;
        /** Whether {@code main} went on, and executed another time. */
        volatile boolean again;

        Execution(RecordingEnvironment environment, String jobName, List<CallPath.Call> path) {
            this.environment = environment;
            this.jobName = jobName;
            this.path = path;
        }
    }

    /** Ends {@code main}; an error, so that a program that catches its exceptions does not catch it. */
    static final class JobRecorded extends Error {
        private static final long serialVersionUID = 1;

        JobRecorded() {
            super("the job is captured, not executed", null, false, false);
        }
    }
}
