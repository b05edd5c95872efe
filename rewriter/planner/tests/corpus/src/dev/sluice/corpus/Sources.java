package dev.sluice.corpus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What devices can stand in for, and what not. */
final class Sources {
    public static void main(String[] args) throws Exception {
        Job job = new Job();
        switch (args[0]) {
            case "elements" -> job.run(job.env.fromData("1,a,2", "2,b,3").map(Reading::parse));
            case "socket" -> job.run(job.env.socketTextStream("localhost", 9999).map(Reading::parse));
            case "sequence" -> job.run(job.env.fromSource(
                            new NumberSequenceSource(1, 9), WatermarkStrategy.noWatermarks(), "numbers")
                    .map(n -> n + 1)
                    .returns(Types.LONG));
            case "schema" -> job.run(
                    kafka(job, KafkaRecordDeserializationSchema.valueOnly(new Parse())).filter(r -> r.value > 0));
            case "schema-with-memory" -> job.run(
                    kafka(job, KafkaRecordDeserializationSchema.valueOnly(new Counting())).filter(r -> r.value > 0));
            case "kafka-record" -> job.run(kafka(job, new Keyed()).filter(r -> r.value > 0));
            case "legacy" -> job.run(job.env.addSource(new Lines(), "my lines").map(Reading::parse));
            case "own-time" -> job.run(job.env.addSource(new TimedLines(), "my lines").map(Reading::parse));
            case "alone" -> job.run(job.lines("lines"));
            case "control" -> {
                job.lines("rules").broadcast().map(rule -> rule).sinkTo(
                        new org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink<>());
                job.run(job.env.fromSource(
                        new NumberSequenceSource(1, 9), WatermarkStrategy.noWatermarks(), "numbers"));
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static org.apache.flink.streaming.api.datastream.DataStream<Reading> kafka(
            Job job, KafkaRecordDeserializationSchema<Reading> schema) {
        KafkaSource<Reading> source = KafkaSource.<Reading>builder()
                .setBootstrapServers("localhost:9092")
                .setTopics("readings")
                .setDeserializer(schema)
                .build();
        return job.env.fromSource(source, Job.readingTime(), "readings");
    }

    static final class Parse extends AbstractDeserializationSchema<Reading> {
        @Override
        public Reading deserialize(byte[] message) {
            return Reading.parse(new String(message, StandardCharsets.UTF_8));
        }
    }

    static final class Counting implements DeserializationSchema<Reading> {
        private long count;

        @Override
        public Reading deserialize(byte[] message) throws IOException {
            Reading reading = Reading.parse(new String(message, StandardCharsets.UTF_8));
            reading.value = ++count;
            return reading;
        }

        @Override
        public boolean isEndOfStream(Reading reading) {
            return false;
        }

        @Override
        public TypeInformation<Reading> getProducedType() {
            return TypeInformation.of(Reading.class);
        }
    }

    static final class Keyed implements KafkaRecordDeserializationSchema<Reading> {
        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Reading> out) {
            Reading reading = Reading.parse(new String(record.value(), StandardCharsets.UTF_8));
            reading.site = new String(record.key(), StandardCharsets.UTF_8);
            out.collect(reading);
        }

        @Override
        public TypeInformation<Reading> getProducedType() {
            return TypeInformation.of(Reading.class);
        }
    }

    static class Lines implements SourceFunction<String> {
        private volatile boolean running = true;

        @Override
        public void run(SourceContext<String> context) throws Exception {
            while (running) {
                context.collect("1,a,2");
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    static final class TimedLines extends Lines {
        @Override
        public void run(SourceContext<String> context) {
            List.of("1,a,2").forEach(line -> context.collectWithTimestamp(line, 1));
        }
    }

    private Sources() {}
}
