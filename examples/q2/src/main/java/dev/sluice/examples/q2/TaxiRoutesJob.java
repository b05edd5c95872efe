package dev.sluice.examples.q2;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
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
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * The ten most frequent taxi routes of the last half hour, every five minutes, from the lines of New
 * York's trip files in a Kafka topic (the first query of the DEBS 2015 Grand Challenge, in windows).
 *
 * <p>{@link ParseTrip} and {@link Locate} say which trips are dropped. Event time is the drop-off.
 */
public final class TaxiRoutesJob {
    private static final Duration WINDOW = Duration.ofMinutes(30);
    private static final Duration SLIDE = Duration.ofMinutes(5);

    private TaxiRoutesJob() {}

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

        DataStream<String> lines = env.fromSource(source(args), WatermarkStrategy.noWatermarks(), "lines")
                .uid("lines");
        topRoutes(trips(lines, args.disorder))
                .sinkTo(sink(args))
                .name("results")
                .uid("results");
        env.execute("taxi-routes " + args.group);
    }

    /** Lines to trips with route and time. */
    static DataStream<RouteTrip> trips(DataStream<String> lines, Duration disorder) {
        return lines.flatMap(new ParseTrip())
                .name("parse")
                .uid("parse")
                .flatMap(new Locate())
                .name("locate")
                .uid("locate")
                .map(RouteTrip::of)
                .name("project")
                .uid("project")
                .assignTimestampsAndWatermarks(WatermarkStrategy.<RouteTrip>forBoundedOutOfOrderness(disorder)
                        .withTimestampAssigner((trip, before) -> trip.dropoffTime))
                .uid("event-time");
    }

    /** Trips to ten lines a window, fewer where there are fewer routes. */
    static DataStream<String> topRoutes(DataStream<RouteTrip> trips) {
        return trips.keyBy(trip -> trip.route)
                .window(SlidingEventTimeWindows.of(WINDOW, SLIDE))
                .aggregate(new Count(), new RouteCount.Stamp())
                .name("counts")
                .uid("counts")
                // The counts of windows with the same end, and of no others, lie in one slide.
                .windowAll(TumblingEventTimeWindows.of(SLIDE))
                .process(new TopRoutes())
                .name("top")
                .uid("top");
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
                                (String line) -> windowOf(line).getBytes(StandardCharsets.UTF_8))
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .build();
    }

    /** The end of a line's window: the lines of one top ten stay together. */
    static String windowOf(String line) {
        return line.split(",")[2];
    }

    private static final class Count implements AggregateFunction<RouteTrip, Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(RouteTrip trip, Long count) {
            return count + 1;
        }

        @Override
        public Long getResult(Long count) {
            return count;
        }

        @Override
        public Long merge(Long one, Long other) {
            return one + other;
        }
    }
}
