package dev.sluice.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka clients as the residual uses them; the user's settings come first in {@code kafka}. */
public final class Clients {
    private Clients() {}

    /** A consumer without group whose start is always said. */
    public static KafkaConsumer<byte[], byte[]> consumer(Map<String, String> kafka, String clientId) {
        Map<String, Object> settings = new HashMap<>(kafka);
        settings.put("client.id", clientId);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "none");
        settings.put("allow.auto.create.topics", "false");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** An idempotent producer that gives up on a missing topic. */
    public static KafkaProducer<byte[], byte[]> producer(Map<String, String> kafka, String clientId) {
        Map<String, Object> settings = new HashMap<>(kafka);
        settings.put("client.id", clientId);
        settings.putIfAbsent("max.block.ms", "20000");
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** An admin client. */
    public static Admin admin(Map<String, String> kafka, String clientId) {
        Map<String, Object> settings = new HashMap<>(kafka);
        settings.put("client.id", clientId);
        return Admin.create(settings);
    }
}
