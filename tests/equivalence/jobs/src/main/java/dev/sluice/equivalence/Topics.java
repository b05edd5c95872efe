package dev.sluice.equivalence;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

/** Sources on Kafka's topics. */
final class Topics {
    private Topics() {}

    /** The lines of a topic. */
    static KafkaSource<String> lines(String topic) {
        return values(topic, new SimpleStringSchema());
    }

    /** The values of a topic through a schema. */
    static <T> KafkaSource<T> values(String topic, DeserializationSchema<T> schema) {
        return KafkaSource.<T>builder()
                .setBootstrapServers("localhost:9092")
                .setTopics(topic)
                .setGroupId("equivalence")
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setValueOnlyDeserializer(schema)
                .build();
    }
}
