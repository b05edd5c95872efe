package dev.sluice.examples.q4;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
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

/**
 * The mood of each topic, hour by hour, from short texts in a Kafka topic. A text's topic is its
 * first hashtag, its mood VADER's score of what {@link Cleaner} leaves of it.
 *
 * <p>Event time is when a text was written, and texts may be ten minutes out of order.
 */
public final class SentimentJob {
    private SentimentJob() {}

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

        DataStream<String> lines = env.fromSource(source(args), WatermarkStrategy.noWatermarks(), "posts")
                .uid("posts");
        hours(moods(lines)).sinkTo(sink(args)).name("hours to kafka").uid("hours-to-kafka");
        env.execute("sentiment " + args.group);
    }

    /** Lines to topics and scores. */
    static DataStream<Mood> moods(DataStream<String> lines) {
        return lines.process(new ParsePost())
                .name("parse")
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Post>forBoundedOutOfOrderness(Duration.ofMinutes(10))
                        .withTimestampAssigner((post, before) -> post.time))
                .map(new MapFunction<Post, Post>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public Post map(Post post) {
                        post.text = Cleaner.clean(post.text);
                        return post;
                    }
                })
                .name("clean")
                .map(new Score())
                .name("score")
                .map(Mood::of)
                .name("project");
    }

    /** Topics and scores to a line per topic and hour. */
    static DataStream<String> hours(DataStream<Mood> moods) {
        return moods.keyBy(mood -> mood.topic)
                .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                .aggregate(new TopicHour.Sum(), new TopicHour.Line())
                .name("hours")
                .uid("hours");
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
                                (String line) -> topicOf(line).getBytes(StandardCharsets.UTF_8))
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .build();
    }

    /** The topic of a line. */
    static String topicOf(String line) {
        return line.substring(0, line.indexOf(','));
    }
}
