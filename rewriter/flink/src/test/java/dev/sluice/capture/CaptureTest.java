package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironmentFactory;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;

/** What a capture is, and what it leaves behind. */
final class CaptureTest {
    /** A program with a setting of its own. */
    public static final class Filtered {
        private Filtered() {}

        public static void main(String[] args) throws Exception {
            Configuration own = new Configuration();
            own.setString("pipeline.object-reuse", "true");
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(own);
            String wanted = args[0];
            DataStream<String> lines =
                    env.fromSequence(1, 3).map(number -> "n" + number).uid("lines");
            lines.filter(line -> line.equals(wanted)).name("wanted").sinkTo(new DiscardingSink<>());
            env.executeAsync("filtered " + wanted);
        }
    }

    /** A program that takes its graph before it executes it. */
    public static final class ByGraph {
        private ByGraph() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.fromSequence(1, 3).sinkTo(new DiscardingSink<>());
            env.execute(env.getStreamGraph());
        }
    }

    private static byte[] file(CapturedJob job) throws Exception {
        ClassLoader loader = CaptureTest.class.getClassLoader();
        return CaptureFile.of(job, "a", loader, loader);
    }

    @Test
    void equalCapturesAreEqualBytes() throws Exception {
        CapturedJob one = Programs.captured(Filtered.class, "n1");
        CapturedJob other = Programs.captured(Filtered.class, "n1");
        assertArrayEquals(file(one), file(other));
        assertNotEquals(
                one.transformations().get(0).getId(),
                other.transformations().get(0).getId());
    }

    @Test
    void theJobIsNamedAndItsNodesAreNumbered() throws Exception {
        CapturedJob job = Programs.captured(Filtered.class, "n1");
        assertEquals("filtered n1", job.jobName());
        assertEquals(Filtered.class.getName(), job.graph().job().mainClass());
        assertEquals(List.of("n1"), job.graph().job().args());
        for (int id = 1; id <= job.transformations().size(); id++) {
            assertEquals(id, job.id(job.transformation(id)));
            assertEquals(id, job.graph().nodes().get(id - 1).id());
        }
        assertEquals(1, Programs.node(job, "wanted").function().captured().size());
    }

    @Test
    void theDigestIsOfTheStructureOnly() throws Exception {
        String digest = Programs.captured(Filtered.class, "n1").graph().digest();
        assertEquals(digest, Programs.captured(Filtered.class, "n2").graph().digest(), "captured values are not in it");
        Configuration outer = new Configuration();
        outer.setString("parallelism.default", "7");
        assertEquals(
                digest,
                Programs.captured(Filtered.class, outer, "n1").graph().digest(),
                "settings of the process are not in it");
        assertNotEquals(digest, Programs.captured(ByGraph.class).graph().digest());
    }

    @Test
    void theSettingsOfTheProcessAreTakenOverUnderTheJobsOwn() throws Exception {
        Configuration outer = new Configuration();
        outer.setString("parallelism.default", "7");
        outer.setString("execution.checkpointing.interval", "3 s");
        outer.setString("pipeline.object-reuse", "false");
        CapturedJob job = Programs.captured(Filtered.class, outer, "n1");
        assertEquals(7, job.environment().getParallelism());
        assertEquals(3000, job.environment().getCheckpointConfig().getCheckpointInterval());
        assertTrue(job.graph().job().objectReuse());
        assertEquals(7, Programs.node(job, "wanted").parallelism());
    }

    @Test
    void theTransformationsAreKeptHoweverTheJobIsExecuted() throws Exception {
        CapturedJob job = Programs.captured(ByGraph.class);
        assertEquals("Flink Streaming Job", job.jobName());
        assertEquals(2, job.transformations().size());
        assertEquals(1, job.environment().getTransformations().size(), "Flink lists operators and sinks, not sources");
    }

    @Test
    void variablesOfTheEnvironmentAreReplacedForMainOnly() throws Exception {
        String home = System.getenv("HOME");
        CapturedJob job = Programs.captured(Filtered.class, "${HOME}");
        assertEquals("filtered " + home, job.jobName());
        assertEquals(List.of("${HOME}"), job.args());
        CaptureException missing =
                assertThrows(CaptureException.class, () -> Programs.captured(Filtered.class, "x${NO_SUCH_VARIABLE}"));
        assertEquals(CaptureException.Problem.ARGUMENTS, missing.problem());
    }

    @Test
    void theContextThatWasThereBeforeIsThereAgain() throws Exception {
        StreamExecutionEnvironment own = new StreamExecutionEnvironment();
        Context.set(configuration -> own);
        try {
            Programs.captured(ByGraph.class);
            assertSame(own, StreamExecutionEnvironment.getExecutionEnvironment());
        } finally {
            Context.unset();
        }
        assertTrue(StreamExecutionEnvironment.areExplicitEnvironmentsAllowed());
    }

    private abstract static class Context extends StreamExecutionEnvironment {
        static void set(StreamExecutionEnvironmentFactory factory) {
            initializeContextEnvironment(factory);
        }

        static void unset() {
            resetContextEnvironment();
        }
    }
}
