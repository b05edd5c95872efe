package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.capture.Capture;
import dev.sluice.source.DeployedInput;
import dev.sluice.source.Frames;
import dev.sluice.source.KafkaFixture;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A deployed job against a broker: refused, started, stopped, and started again from its last checkpoint. */
@EnabledIfSystemProperty(named = KafkaFixture.PROPERTY, matches = ".+")
class ResidualLauncherKafkaTest {
    private static final String[] ARGS = {"> \"quoted\""};

    @TempDir
    private Path folder;

    private final String query = "rl" + UUID.randomUUID().toString().substring(0, 8);
    private final DeployedInput input = Frames.input(query, 1);

    private LauncherSettings settings(KafkaFixture kafka, String... more) throws ExitException {
        String[] words = {
            "--brokers",
            kafka.brokers(),
            "--query",
            query,
            "--checkpoint-dir",
            folder.toString(),
            "--checkpoint-interval-ms",
            "50",
            "--restore",
            "latest",
            "--rest-port",
            "0"
        };
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return LauncherSettings.parse(all);
    }

    private static ExitException refusal(LauncherSettings settings) {
        return assertThrows(ExitException.class, () -> ResidualLauncher.embed(settings));
    }

    private void deploy(KafkaFixture kafka, String digest) {
        kafka.send("sluice.queries", 0, query, Deployments.queryOf(NumsJob.class, digest, input));
        kafka.flush();
    }

    private void send(KafkaFixture kafka, long first, long last) {
        kafka.send(input.outTopic(), 0, "a", Frames.full("a", 1, first, last, 0).build());
        kafka.flush();
    }

    private static void expect(String line) throws InterruptedException {
        assertEquals(line, NumsJob.SEEN.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void refusesStartsStopsAndGoesOn() throws Exception {
        NumsJob.SEEN.clear();
        String digest = Capture.run(NumsJob.class.getName(), ARGS, getClass().getClassLoader(), new Configuration())
                .graph()
                .digest();
        try (KafkaFixture kafka = new KafkaFixture()) {
            kafka.topic("sluice.queries", 1);
            kafka.topic("sluice.devices", 1);
            assertEquals(ExitException.USAGE, refusal(settings(kafka)).code());
            deploy(kafka, "of another job");
            ExitException missing = refusal(settings(kafka));
            assertEquals(ExitException.UNAVAILABLE, missing.code());
            assertTrue(missing.getMessage().contains(query + ".dead"), missing.getMessage());
            kafka.topic(input.outTopic(), 1);
            kafka.topic(input.deadTopic(), 1);
            kafka.topic(input.lateTopic(), 1);
            ExitException version = refusal(settings(kafka, "--version", "7"));
            assertTrue(version.getMessage().startsWith("version is 7, but 1"), version.getMessage());
            ExitException other = refusal(settings(kafka));
            assertTrue(other.getMessage().contains("is not the one"), other.getMessage());

            deploy(kafka, digest);
            send(kafka, 0, 1);
            JobClient job = ResidualLauncher.embed(settings(kafka));
            expect("> \"quoted\"a:0@0");
            expect("> \"quoted\"a:1@1");
            awaitCommitted(kafka, 1);
            ResidualLauncher.stop(job);
            send(kafka, 0, 2);
            job = ResidualLauncher.embed(settings(kafka));
            expect("> \"quoted\"a:2@2");
            ResidualLauncher.stop(job);
        }
    }

    /** Waits until a checkpoint behind {@code offset} is complete. */
    private void awaitCommitted(KafkaFixture kafka, long offset) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (kafka.committed(input.group(), input.outTopic(), 0) < offset) {
            assertTrue(System.nanoTime() < deadline, "no checkpoint behind offset " + offset);
            Thread.onSpinWait();
        }
    }
}
