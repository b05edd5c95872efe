package dev.sluice.capture;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Captures of small programs. */
final class Programs {
    private static final AtomicReference<Consumer<StreamExecutionEnvironment>> BUILDER = new AtomicReference<>();

    private Programs() {}

    /** A program that builds what a test says. */
    public static final class Built {
        private Built() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            BUILDER.get().accept(env);
            env.execute("built");
        }
    }

    /** The captured job of a builder. */
    static synchronized CapturedJob captured(Consumer<StreamExecutionEnvironment> builder) throws CaptureException {
        BUILDER.set(builder);
        return captured(Built.class);
    }

    /** The captured job of a program. */
    static CapturedJob captured(Class<?> program, String... args) throws CaptureException {
        return captured(program, new Configuration(), args);
    }

    /** The captured job of a program in a process with these settings. */
    static CapturedJob captured(Class<?> program, Configuration outer, String... args) throws CaptureException {
        return Capture.run(program.getName(), args, program.getClassLoader(), outer);
    }

    /** The only node of this name. */
    static Graph.Node node(CapturedJob job, String name) {
        return job.graph().nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "no " + name + " among " + job.graph().nodes()));
    }
}
