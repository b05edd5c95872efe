package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Messages as bytes. */
public final class RawBytes {
    private RawBytes() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<byte[]> source = KafkaSource.<byte[]>builder()
                .setBootstrapServers("localhost:9092")
                .setTopics("sentences")
                .setDeserializer(KafkaRecordDeserializationSchema.valueOnly(ByteArrayDeserializer.class))
                .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "sentences")
                .filter(bytes -> bytes.length > 0)
                .map(RawBytes::half)
                .map(bytes -> bytes.length + " bytes, the first is " + bytes[0])
                .print();
        env.execute("raw bytes");
    }

    private static byte[] half(byte[] bytes) {
        byte[] half = new byte[(bytes.length + 1) / 2];
        System.arraycopy(bytes, 0, half, 0, half.length);
        return half;
    }
}
