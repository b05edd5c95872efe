package dev.sluice.examples.q3;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/**
 * Daily means and spikes of households that draw much power, from the half-hourly lines of London's
 * smart meters in a Kafka topic.
 *
 * <p>Event time is the reading's, and readings may be two hours out of order. Time is taken before
 * small readings are left out, so a group of households that draws little holds nobody up.
 *
 * <p>The lines are {@code household,dayStartMs,readings,repeated,sumMilliwatts,meanMilliwatts} and
 * {@code SPIKE,household,timeMs,milliwatts,meanMilliwatts}.
 */
public final class MeterSpikesJob {
    private MeterSpikesJob() {}

    /** Runs the job; see {@link Args#USAGE}. */
    public static void main(String[] arguments) throws Exception {
        Args args = Args.parse(arguments);
        Configuration configuration = new Configuration();
        if (args.checkpointDir != null) {
            configuration.setString("execution.checkpointing.dir", args.checkpointDir);
            configuration.setString("execution.checkpointing.interval", args.checkpointMs + " ms");
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(args.parallelism);
        spikes(env.fromSource(source(args), WatermarkStrategy.noWatermarks(), "meters"), args.thresholdKwh)
                .sinkTo(sink(args));
        env.execute("meter-spikes " + args.group);
    }

    static DataStream<String> spikes(DataStream<String> lines, double thresholdKwh) {
        return lines.flatMap((String line, Collector<Reading> out) -> {
                    Reading reading = Reading.parse(line);
                    if (reading != null) {
                        out.collect(reading);
                    }
                })
                .returns(Reading.class)
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Reading>forBoundedOutOfOrderness(Duration.ofHours(2))
                        .withTimestampAssigner((reading, before) -> reading.time))
                .filter(reading -> reading.kwh > thresholdKwh)
                .map(Load::of)
                .keyBy(load -> load.household)
                .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                .process(new DailySpikes());
    }

    private static KafkaSource<String> source(Args args) {
        KafkaSourceBuilder<String> source = KafkaSource.<String>builder()
                .setBootstrapServers(Args.required("--brokers", args.brokers))
                .setTopics(Args.required("--input", args.input))
                .setGroupId(args.group)
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setValueOnlyDeserializer(new SimpleStringSchema());
        if (args.bounded) {
            source.setBounded(OffsetsInitializer.latest());
        }
        return source.build();
    }

    private static KafkaSink<String> sink(Args args) {
        Properties producer = new Properties();
        // Must not be above the broker's transaction.max.timeout.ms, 15 minutes unless set.
        producer.setProperty("transaction.timeout.ms", "600000");
        return KafkaSink.<String>builder()
                .setBootstrapServers(Args.required("--brokers", args.brokers))
                .setKafkaProducerConfig(producer)
                .setDeliveryGuarantee(
                        args.exactlyOnce ? DeliveryGuarantee.EXACTLY_ONCE : DeliveryGuarantee.AT_LEAST_ONCE)
                .setTransactionalIdPrefix(args.group)
                .setRecordSerializer(KafkaRecordSerializationSchema.<String>builder()
                        .setTopic(Args.required("--output", args.output))
                        .setKeySerializationSchema(
                                (String line) -> DailySpikes.householdOf(line).getBytes(StandardCharsets.UTF_8))
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .build();
    }
}
