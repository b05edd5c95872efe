package dev.sluice.corpus;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** What the jobs of the corpus have in common: lines from Kafka, and a keyed end. */
final class Job {
    final StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();

    /** A source of lines. */
    DataStream<String> lines(String name) {
        return lines(name, WatermarkStrategy.noWatermarks());
    }

    DataStream<String> lines(String name, WatermarkStrategy<String> watermarks) {
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("localhost:9092")
                .setTopics(name)
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build();
        return env.fromSource(source, watermarks, name).uid(name);
    }

    /** Lines to readings. */
    SingleOutputStreamOperator<Reading> readings() {
        return lines("lines").map(Reading::parse).name("parse");
    }

    /** Keys a stream and runs the job. */
    void run(DataStream<?> stream) throws Exception {
        stream.keyBy(Object::hashCode).map(Object::toString).name("last").sinkTo(new DiscardingSink<>());
        env.execute("corpus");
    }

    /** The time of a line is its first number. */
    static WatermarkStrategy<String> lineTime() {
        return WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofSeconds(5))
                .withTimestampAssigner((line, before) -> Long.parseLong(line.split(",")[0]));
    }

    static WatermarkStrategy<Reading> readingTime() {
        return WatermarkStrategy.<Reading>forBoundedOutOfOrderness(Duration.ofSeconds(5))
                .withTimestampAssigner((reading, before) -> reading.time);
    }
}
