package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.capture.CaptureException.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;

/** Each way in which a {@code main} does not lead to a job, and that the message says which it was. */
final class FailuresTest {
    private static void build(StreamExecutionEnvironment env) {
        env.fromSequence(1, 3).sinkTo(new DiscardingSink<>());
    }

    /** Has no {@code main}. */
    public static final class NoMain {
        private NoMain() {}
    }

    /** Needs an argument. */
    public static final class Arguments {
        private Arguments() {}

        public static void main(String[] args) {
            StreamExecutionEnvironment.getExecutionEnvironment().setParallelism(Integer.parseInt(args[0]));
        }
    }

    /** Complains and returns. */
    public static final class Usage {
        private Usage() {}

        public static void main(String[] args) {
            if (args.length != 2) {
                System.err.println("usage: Usage IN OUT");
            }
        }
    }

    /** Throws. */
    public static final class Throws {
        private Throws() {}

        public static void main(String[] args) {
            throw new IllegalStateException("no\n  database");
        }
    }

    /** Throws what a library threw at it, wrapped. */
    public static final class Wraps {
        private Wraps() {}

        public static void main(String[] args) {
            throw new IllegalStateException("no settings", new UncheckedIOException(new IOException("no such bucket")));
        }
    }

    /** Executes one job after another. */
    public static final class Twice {
        private Twice() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            build(env);
            env.execute("one");
            build(env);
            env.execute("other");
        }
    }

    /** Executes a job per argument, in a method of its own. */
    public static final class Loop {
        private Loop() {}

        public static void main(String[] args) throws Exception {
            for (String arg : args) {
                run(arg);
            }
        }

        private static void run(String name) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            build(env);
            env.execute(name);
        }
    }

    /** Executes one job or another. */
    public static final class EitherWay {
        private EitherWay() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            build(env);
            for (int i = 0; i < 3; i++) {
                build(env);
            }
            if (args.length == 0) {
                env.execute("one");
            } else {
                env.execute("other");
            }
        }
    }

    /** Catches everything. */
    public static final class Stubborn {
        private Stubborn() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            build(env);
            try {
                env.execute("one");
            } catch (Throwable e) {
                env.execute("again");
            }
        }
    }

    /** Runs in its own cluster. */
    public static final class Local {
        private Local() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
            build(env);
            env.execute();
        }
    }

    /** Runs in someone else's cluster. */
    public static final class Remote {
        private Remote() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.createRemoteEnvironment("localhost", 1);
            build(env);
            env.execute();
        }
    }

    /** Waits for something that does not come. */
    public static final class Hangs {
        private Hangs() {}

        public static void main(String[] args) throws Exception {
            new CountDownLatch(1).await();
        }
    }

    /** Misses a class of the Table API. */
    public static final class Table {
        private Table() {}

        public static void main(String[] args) {
            throw new NoClassDefFoundError("org/apache/flink/table/api/bridge/java/StreamTableEnvironment");
        }
    }

    /** Misses a class of another version of Flink. */
    public static final class OtherFlink {
        private OtherFlink() {}

        public static void main(String[] args) throws Exception {
            Class.forName("org.apache.flink.streaming.api.NoSuchThing");
        }
    }

    /** Calls the DataSet API where there is one. */
    public static final class DataSet {
        private DataSet() {}

        public static void main(String[] args) throws Exception {
            Class.forName("org.apache.flink.api.java.ExecutionEnvironment")
                    .getMethod("getExecutionEnvironment")
                    .invoke(null);
        }
    }

    /** Asks for batch mode. */
    public static final class Batch {
        private Batch() {}

        public static void main(String[] args) throws Exception {
            Configuration own = new Configuration();
            own.setString("execution.runtime-mode", "BATCH");
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(own);
            build(env);
            env.execute();
        }
    }

    private static String message(Problem problem, Class<?> program, String... args) {
        CaptureException failure = assertThrows(CaptureException.class, () -> Programs.captured(program, args));
        assertEquals(problem, failure.problem(), failure.getMessage());
        assertTrue(StreamExecutionEnvironment.areExplicitEnvironmentsAllowed(), "the context is left behind");
        return failure.getMessage();
    }

    private static void says(String part, String message) {
        assertTrue(message.contains(part), message);
    }

    @Test
    void noSuchClass() {
        CaptureException failure = assertThrows(
                CaptureException.class,
                () -> Capture.run("no.Such", new String[0], getClass().getClassLoader(), new Configuration()));
        assertEquals(Problem.CLASS_NOT_FOUND, failure.problem());
        says("no.Such", failure.getMessage());
    }

    @Test
    void noMain() {
        says("public static void main", message(Problem.NO_MAIN_METHOD, NoMain.class));
    }

    @Test
    void missingArguments() {
        says("given no arguments", message(Problem.ARGUMENTS, Arguments.class));
        says("FailuresTest.java", message(Problem.ARGUMENTS, Arguments.class));
        says("are its arguments right", message(Problem.ARGUMENTS, Arguments.class, "four"));
        says("given no arguments", message(Problem.ARGUMENTS, Usage.class));
    }

    @Test
    void throwing() {
        says("IllegalStateException: no database at", message(Problem.THREW, Throws.class, "x"));
        says(", since java.io.IOException: no such bucket", message(Problem.THREW, Wraps.class, "x"));
    }

    @Test
    void neverExecuting() {
        says("executed no job", message(Problem.NOT_EXECUTED, Usage.class, "in", "out"));
    }

    @Test
    void executingTwice() {
        says("comes to execute (FailuresTest.java", message(Problem.SEVERAL_JOBS, Twice.class));
        says("comes to run (FailuresTest.java", message(Problem.SEVERAL_JOBS, Loop.class, "a", "b"));
        says("caught what ended it", message(Problem.SEVERAL_JOBS, Stubborn.class));
    }

    @Test
    void executingOneOfTwoIsNoFault() throws CaptureException {
        assertEquals("one", Programs.captured(EitherWay.class).jobName());
        assertEquals("other", Programs.captured(EitherWay.class, "x").jobName());
    }

    @Test
    void environmentsOfItsOwn() {
        says("getExecutionEnvironment()", message(Problem.EXPLICIT_ENVIRONMENT, Local.class));
        says("getExecutionEnvironment()", message(Problem.EXPLICIT_ENVIRONMENT, Remote.class));
    }

    @Test
    void hanging() {
        CaptureException failure = assertThrows(
                CaptureException.class,
                () -> Capture.run(
                        Hangs.class.getName(),
                        new String[0],
                        getClass().getClassLoader(),
                        new Configuration(),
                        Duration.ofMillis(200)));
        assertEquals(Problem.HANGS, failure.problem());
        says("FailuresTest.java", failure.getMessage());
    }

    @Test
    void missingClasses() {
        says("Table API", message(Problem.TABLE_API, Table.class));
        says("another version", message(Problem.MISSING_CLASS, OtherFlink.class));
    }

    @Test
    void whatFlinkDoesNotTake() {
        CaptureException same = assertThrows(
                CaptureException.class,
                () -> Programs.captured(env -> env.fromSequence(1, 3)
                        .map(number -> number)
                        .uid("same")
                        .map(number -> number)
                        .uid("same")
                        .sinkTo(new DiscardingSink<>())));
        assertEquals(Problem.THREW, same.problem());
        says("Flink does not take the job", same.getMessage());
        CaptureException untyped = assertThrows(
                CaptureException.class,
                () -> Programs.captured(env -> env.fromSequence(1, 3)
                        .flatMap((number, out) -> out.collect(number))
                        .sinkTo(new DiscardingSink<>())));
        assertEquals(Problem.THREW, untyped.problem());
        says("returns(...)", untyped.getMessage());
    }

    @Test
    void batch() {
        says("batch", message(Problem.BATCH, Batch.class));
        says("DataSet API", message(Problem.BATCH, DataSet.class));
    }
}
