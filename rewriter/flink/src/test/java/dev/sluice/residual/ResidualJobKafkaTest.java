package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.source.DeployedInput;
import dev.sluice.source.Frames;
import dev.sluice.source.KafkaFixture;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A residual job from its settings, against a broker: started, stopped, and started again from its last checkpoint. */
@EnabledIfSystemProperty(named = KafkaFixture.PROPERTY, matches = ".+")
class ResidualJobKafkaTest {
    private static final BlockingQueue<String> SEEN = new LinkedBlockingQueue<>();

    private final String query = "rj" + UUID.randomUUID().toString().substring(0, 8);

    /** The job behind the prefix. */
    public static void analyse(DataStream<Frames.Num> nums, String[] args) {
        nums.map(num -> {
                    SEEN.add(args[0] + num);
                    return num.n;
                })
                .print();
    }

    private ResidualConfig config(KafkaFixture kafka, Path folder) throws ExitException {
        Properties properties = new Properties();
        properties.setProperty("brokers", kafka.brokers());
        properties.setProperty("query", query);
        properties.setProperty("input", "nums");
        properties.setProperty("type", Frames.Num.class.getName());
        properties.setProperty("method", ResidualJobKafkaTest.class.getName() + "#analyse");
        properties.setProperty("args", "> unused");
        properties.setProperty("checkpoint.dir", folder.toString());
        properties.setProperty("checkpoint.interval.ms", "50");
        properties.setProperty("restore", "latest");
        properties.setProperty("rest.port", "0");
        return ResidualConfig.parse(properties);
    }

    private static String next() throws InterruptedException {
        return SEEN.poll(60, TimeUnit.SECONDS);
    }

    @Test
    void startsStopsAndGoesOn(@TempDir Path folder) throws Exception {
        SEEN.clear();
        try (KafkaFixture kafka = new KafkaFixture()) {
            kafka.topic("sluice.queries", 1);
            kafka.topic("sluice.devices", 1);
            ResidualConfig config = config(kafka, folder);
            ExitException notDeployed =
                    assertThrows(ExitException.class, () -> new Cluster(config.kafka(), config.query()).input(config));
            assertEquals(ExitException.USAGE, notDeployed.code());
            kafka.send(
                    "sluice.queries",
                    0,
                    query,
                    Deployments.query(
                            query, 1, 1, Frames.input(query, 1).valueSchema(), Frames.SCHEMA_ID, Frames.OPERATORS));
            kafka.flush();
            ExitException missing =
                    assertThrows(ExitException.class, () -> new Cluster(config.kafka(), config.query()).input(config));
            assertEquals(ExitException.UNAVAILABLE, missing.code());
            assertTrue(missing.getMessage().contains(query + ".dead"), missing.getMessage());
            DeployedInput expected = Frames.input(query, 1);
            kafka.topic(expected.outTopic(), 1);
            kafka.topic(expected.deadTopic(), 1);
            kafka.topic(expected.lateTopic(), 1);
            DeployedInput input = new Cluster(config.kafka(), config.query()).input(config);
            assertEquals(expected, input);

            kafka.send(input.outTopic(), 0, "a", Frames.full("a", 1, 0, 1, 0).build());
            kafka.flush();
            JobClient job = new ResidualJob(config).start(input);
            assertEquals(">a:0", next());
            assertEquals(">a:1", next());
            awaitCommitted(kafka, input, 1);
            ResidualLauncher.stop(job);
            kafka.send(input.outTopic(), 0, "a", Frames.full("a", 1, 0, 2, 0).build());
            kafka.flush();
            job = new ResidualJob(config).start(input);
            assertEquals(">a:2", next());
            ResidualLauncher.stop(job);
        }
    }

    /** Waits until a checkpoint behind {@code offset} is complete. */
    private static void awaitCommitted(KafkaFixture kafka, DeployedInput input, long offset) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (kafka.committed(input.group(), input.outTopic(), 0) < offset) {
            assertTrue(System.nanoTime() < deadline, "no checkpoint behind offset " + offset);
            Thread.onSpinWait();
        }
    }
}
