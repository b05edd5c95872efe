package dev.sluice.residual;

import dev.sluice.kafka.Clients;
import dev.sluice.kafka.MissingTopicException;
import dev.sluice.kafka.TableReader;
import dev.sluice.source.DeployedInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/** What the launcher asks Kafka before it starts the job, so that a wrong setting is one clear message. */
final class Cluster {
    private static final String CLIENT = "sluice.residual";
    private static final int TIMEOUT_MS = 10_000;
    private static final int CONNECT_TIMEOUT_MS = 2_000;

    private final Map<String, String> kafka;
    private final String query;

    /**
     * @param settings of the Kafka clients
     * @param query the one to be asked for
     */
    Cluster(Map<String, String> settings, String query) {
        this.query = query;
        this.kafka = new HashMap<>(settings);
        kafka.put("default.api.timeout.ms", Integer.toString(TIMEOUT_MS));
        kafka.put("request.timeout.ms", Integer.toString(TIMEOUT_MS / 2));
    }

    /** The record of the deployed query, what it needs being there. */
    <T> T ask(Question<T> question) throws ExitException {
        try {
            byte[] deployed = deployedQuery();
            if (deployed == null) {
                throw new ExitException(
                        ExitException.USAGE, "query is " + query + ", which is not deployed: run `sluice deploy`");
            }
            return question.answer(deployed);
        } catch (TimeoutException e) {
            throw new ExitException(ExitException.UNAVAILABLE, unreachable(), e);
        } catch (MissingTopicException e) {
            throw new ExitException(ExitException.UNAVAILABLE, e.getMessage(), e);
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ExitException(
                    ExitException.USAGE, "brokers or a kafka.* setting is wrong: " + cause.getMessage(), e);
        }
    }

    /** What is made of a record of {@code sluice.queries}, with Kafka at hand. */
    interface Question<T> {
        T answer(byte[] deployed) throws ExitException;
    }

    /** The topics of an input must be there. */
    void check(DeployedInput input) throws ExitException {
        checkTopics(Set.of("sluice.devices", input.outTopic(), input.deadTopic(), input.lateTopic()));
    }

    private byte[] deployedQuery() {
        byte[] key = query.getBytes(StandardCharsets.UTF_8);
        byte[] deployed = null;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        try (TableReader table = new TableReader(Clients.consumer(kafka, CLIENT), Deployment.TOPIC)) {
            while (!table.isComplete()) {
                for (ConsumerRecord<byte[], byte[]> record : table.poll()) {
                    if (Arrays.equals(record.key(), key)) {
                        deployed = record.value();
                    }
                }
                if (System.nanoTime() > deadline) {
                    throw new TimeoutException("reading " + Deployment.TOPIC);
                }
            }
        }
        return deployed;
    }

    private void checkTopics(Set<String> topics) throws ExitException {
        List<String> missing = new ArrayList<>(topics);
        try (Admin admin = Clients.admin(kafka, CLIENT)) {
            missing.removeAll(admin.listTopics().names().get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KafkaException cause) {
                throw cause;
            }
            throw new ExitException(ExitException.INTERNAL, e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new ExitException(ExitException.INTERNAL, "interrupted", e);
        }
        if (!missing.isEmpty()) {
            throw new MissingTopicException(String.join(", ", missing));
        }
    }

    /** Tells a broker that is not there from one that advertises an address that is not. */
    private String unreachable() {
        String brokers = kafka.get("bootstrap.servers");
        for (String broker : brokers.split(",")) {
            int colon = broker.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                String host = broker.substring(0, colon).strip();
                int port = Integer.parseInt(broker.substring(colon + 1).strip());
                socket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MS);
                return "something listens at brokers=" + brokers + ", but Kafka does not answer there within "
                        + TIMEOUT_MS / 1000 + " s, or the address that it advertises can't be reached from here";
            } catch (IOException | IllegalArgumentException e) {
                // Not this one.
            }
        }
        return "no broker can be reached at brokers=" + brokers;
    }
}
