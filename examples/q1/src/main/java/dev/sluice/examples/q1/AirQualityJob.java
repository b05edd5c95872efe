package dev.sluice.examples.q1;

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
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Weekly means of fine particles (PM2.5) per site, and alerts, from the lines of the EPA's daily
 * summary file in a Kafka topic.
 *
 * <p>{@link ParseRow} says which rows are dropped. Event time is the row's date, and rows may be
 * two days out of order.
 */
public final class AirQualityJob {
    private static final Duration DISORDER = Duration.ofDays(2);
    private static final Duration WEEK = Duration.ofDays(7);

    private AirQualityJob() {}

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
        analyse(prefix(lines), arguments);
        env.execute("air-quality " + args.group);
    }

    /** Lines to readings: one event at a time, without state. */
    public static DataStream<Reading> prefix(DataStream<String> lines) {
        return lines.flatMap(new ParseRow())
                .name("parse")
                .uid("parse")
                .assignTimestampsAndWatermarks(WatermarkStrategy.<AirRow>forBoundedOutOfOrderness(DISORDER)
                        .withTimestampAssigner((row, before) -> row.dateLocal))
                .uid("event-time")
                .map(Measurement::of)
                .name("project")
                .uid("project")
                .map(Reading::of)
                .name("categorize")
                .uid("categorize");
    }

    /** Readings to weekly lines and alerts, and those to the output topic. */
    public static void analyse(DataStream<Reading> readings, String[] arguments) {
        Args args = Args.parse(arguments);
        results(readings).sinkTo(sink(args)).name("results").uid("results");
    }

    /** Readings to weekly lines and alerts. */
    static DataStream<String> results(DataStream<Reading> readings) {
        DataStream<SiteWeek> weeks = readings.keyBy(reading -> reading.site)
                .window(TumblingEventTimeWindows.of(WEEK))
                .aggregate(new Sum(), new Stamp())
                .name("weeks")
                .uid("weeks");
        DataStream<String> lines = weeks.map(SiteWeek::line).name("lines").uid("week-lines");
        DataStream<String> alerts = weeks.filter(SiteWeek::unhealthy)
                .name("unhealthy")
                .uid("unhealthy")
                .map(SiteWeek::alert)
                .name("alerts")
                .uid("alerts");
        return lines.union(alerts);
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
                                (String line) -> SiteWeek.siteOf(line).getBytes(StandardCharsets.UTF_8))
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .build();
    }

    private static final class Sum implements AggregateFunction<Reading, SiteWeek, SiteWeek> {
        private static final long serialVersionUID = 1;

        @Override
        public SiteWeek createAccumulator() {
            return new SiteWeek();
        }

        @Override
        public SiteWeek add(Reading reading, SiteWeek week) {
            week.add(reading);
            return week;
        }

        @Override
        public SiteWeek getResult(SiteWeek week) {
            return week;
        }

        @Override
        public SiteWeek merge(SiteWeek one, SiteWeek other) {
            one.add(other);
            return one;
        }
    }

    /** Puts the site and the window's start on a week. */
    private static final class Stamp extends ProcessWindowFunction<SiteWeek, SiteWeek, String, TimeWindow> {
        private static final long serialVersionUID = 1;

        @Override
        public void process(String site, Context context, Iterable<SiteWeek> weeks, Collector<SiteWeek> out) {
            SiteWeek week = weeks.iterator().next();
            week.site = site;
            week.startMs = context.window().getStart();
            out.collect(week);
        }
    }
}
