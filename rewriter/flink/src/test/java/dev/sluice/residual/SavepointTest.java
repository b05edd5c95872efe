package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.capture.Capture;
import dev.sluice.capture.CapturedJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State goes from a whole job's savepoint into the split job and back. */
class SavepointTest {
    private static final List<Integer> MAP = List.of(1, 2);

    @TempDir
    private Path folder;

    private final ClassLoader loader = getClass().getClassLoader();

    @BeforeEach
    void forget() {
        QueueSource.queue("words").clear();
        QueueSource.queue("frames").clear();
        CountingJob.SEEN.clear();
    }

    private CapturedJob capture(String... args) throws Exception {
        return Capture.run(CountingJob.class.getName(), args, loader, new Configuration());
    }

    private static StreamExecutionEnvironment env(String restore) {
        Configuration flink = FlinkSettings.embedded(settings(LauncherSettings.NONE, 0));
        if (restore != null) {
            flink.setString(Restore.PATH, restore);
            // As a person does who goes back: the frame source's positions stay behind.
            flink.setString(Restore.IGNORE_UNCLAIMED, "true");
        }
        return StreamExecutionEnvironment.getExecutionEnvironment(flink);
    }

    private static LauncherSettings settings(String restore, int restPort) {
        try {
            return LauncherSettings.parse(
                    "--brokers",
                    "none:1",
                    "--query",
                    "q",
                    "--restore",
                    restore,
                    "--rest-port",
                    Integer.toString(restPort));
        } catch (ExitException e) {
            throw new IllegalStateException(e);
        }
    }

    private JobClient whole(String restore) throws Exception {
        return env(restore).executeAsync(capture().environment().getStreamGraph(false));
    }

    private Plan plan(List<Integer> nodes, int boundary, String... args) throws Exception {
        String input = Plans.input("words", "\"string\"", 1, nodes, boundary);
        String digest = capture(args).graph().digest();
        return Plan.read(Files.writeString(
                folder.resolve("plan.json"), Plans.json(CountingJob.class, digest, List.of(args), input)));
    }

    private JobClient split(Plan plan, String restore) throws ExitException {
        return ResidualLauncher.submit(
                plan, settings(restore, 0), (input, type) -> new QueueSource<>("frames"), env(null));
    }

    private static void send(String queue, String... words) {
        QueueSource.queue(queue).addAll(List.of(words));
    }

    private static void expect(String... lines) throws InterruptedException {
        for (String line : lines) {
            assertEquals(line, CountingJob.SEEN.poll(60, TimeUnit.SECONDS));
        }
    }

    private String stop(JobClient job) throws Exception {
        return job.stopWithSavepoint(false, folder.toUri().toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    @Test
    void stateOfOperatorsWithoutUidsGoesThereAndBack() throws Exception {
        JobClient job = whole(null);
        send("words", "A", "A", "B");
        expect("a1", "a2", "b1");
        String ofWhole = stop(job);

        Plan plan = plan(MAP, 2);
        job = split(plan, ofWhole);
        send("frames", "a", "c");
        expect("a3", "c1");
        String ofSplit = stop(job);
        job = split(plan, ofSplit);
        send("frames", "a");
        expect("a4");
        ofSplit = stop(job);

        job = whole(ofSplit);
        send("words", "A", "B", "C");
        expect("a5", "b2", "c2");
        stop(job);
    }

    @Test
    void stateThatNothingTakesIsRefused() throws Exception {
        JobClient job = whole(null);
        send("words", "A");
        expect("a1");
        String savepoint = stop(job);

        Plan longer = plan(MAP, 2, "more");
        ExitException changed = assertThrows(ExitException.class, () -> split(longer, savepoint));
        assertTrue(changed.getMessage().contains("would be lost"), changed.getMessage());

        Plan tooMuch = plan(List.of(1, 2, 3, 4), 4);
        ExitException moved = assertThrows(ExitException.class, () -> split(tooMuch, savepoint));
        assertTrue(moved.getMessage().contains("'count', which moved out of it"), moved.getMessage());

        ExitException missing = assertThrows(ExitException.class, () -> split(longer, "/no/such/savepoint"));
        assertTrue(missing.getMessage().contains("can't be read"), missing.getMessage());
    }

    @Test
    void anotherJobThanThePlannedOneIsRefused() throws Exception {
        Plan plan = plan(MAP, 2);
        Plan other = new Plan(
                "q",
                2,
                new Plan.Job(
                        CountingJob.class.getName(),
                        List.of("more"),
                        plan.job().flink(),
                        plan.job().digest()),
                plan.inputs());
        ExitException refusal = assertThrows(ExitException.class, () -> split(other, LauncherSettings.NONE));
        assertEquals(ExitException.USAGE, refusal.code());
        assertTrue(refusal.getMessage().contains("not the one that query q version 2"), refusal.getMessage());
    }
}
