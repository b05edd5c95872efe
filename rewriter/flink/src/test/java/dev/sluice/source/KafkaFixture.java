package dev.sluice.source;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics and records on the broker that {@code -Dkafka=host:port} names. */
public final class KafkaFixture implements AutoCloseable {
    /** The system property that names the broker. */
    public static final String PROPERTY = "kafka";

    private final Map<String, Object> settings = Map.of("bootstrap.servers", System.getProperty(PROPERTY));
    private final Admin admin = Admin.create(settings);
    private final KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());

    /** The broker. */
    public String brokers() {
        return System.getProperty(PROPERTY);
    }

    /** Makes a topic, if it is not there, whose records have the broker's time. */
    public void topic(String name, int partitions) throws Exception {
        if (admin.listTopics().names().get().contains(name)) {
            return;
        }
        NewTopic topic = new NewTopic(name, partitions, (short) 1);
        admin.createTopics(List.of(topic.configs(Map.of("message.timestamp.type", "LogAppendTime"))))
                .all()
                .get();
    }

    /** Writes a record and does not wait. */
    public void send(String topic, int partition, String key, byte[] value) {
        producer.send(new ProducerRecord<>(topic, partition, key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Waits until everything is written. */
    public void flush() {
        producer.flush();
    }

    /** Reads partition 0 of a topic until it has {@code count} records. */
    public List<byte[]> read(String topic, int count) {
        Map<String, Object> reading = new HashMap<>(settings);
        reading.put("isolation.level", "read_committed");
        List<byte[]> values = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (values.size() < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    /** The committed offset of a group, -1 if there is none. */
    public long committed(String group, String topic, int partition) throws Exception {
        var offsets = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
        var offset = offsets.get(new TopicPartition(topic, partition));
        return offset == null ? -1 : offset.offset();
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
