package dev.sluice.residual;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Small jobs. An event's text is {@code KEY TIME}, time in ms. */
final class Shapes {
    private static final OutputTag<Tuple2<String, Long>> LATE = new OutputTag<>("late") {};

    private Shapes() {}

    private static Tuple2<String, Long> parse(String text) {
        String[] words = text.split(" ");
        return Tuple2.of(words[0], Long.parseLong(words[1]));
    }

    private static SingleOutputStreamOperator<Tuple2<String, Long>> parsed(DataStream<String> texts) {
        return texts.map(Shapes::parse).returns(Types.TUPLE(Types.STRING, Types.LONG));
    }

    private static WatermarkStrategy<Tuple2<String, Long>> bounded() {
        return WatermarkStrategy.<Tuple2<String, Long>>forBoundedOutOfOrderness(Duration.ofMillis(10))
                .withTimestampAssigner((event, before) -> event.f1);
    }

    private static DataStream<String> source(StreamExecutionEnvironment env, String name) {
        return env.socketTextStream("nowhere", 1).name(name);
    }

    /** Windows with late data, to two sinks. */
    public static final class Windows {
        private Windows() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(3);
            SingleOutputStreamOperator<Tuple2<String, Long>> sums = parsed(source(env, "in"))
                    .rebalance()
                    .assignTimestampsAndWatermarks(bounded())
                    .keyBy(event -> event.f0)
                    .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                    .sideOutputLateData(LATE)
                    .sum(1);
            sums.print();
            sums.getSideOutput(LATE).sinkTo(new DiscardingSink<>()).name("late");
            env.execute("windows");
        }
    }

    /** Two readers of the boundary, one of them a sink, the other a union with a source that stays. */
    public static final class FanOut {
        private FanOut() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            DataStream<Tuple2<String, Long>> parsed = parsed(source(env, "in"));
            parsed.sinkTo(new DiscardingSink<>());
            parsed.union(env.fromData(Tuple2.of("own", 1L)))
                    .keyBy(event -> event.f0)
                    .sum(1)
                    .print();
            env.execute();
        }
    }

    /** Two inputs that are connected, and one that is broadcast. */
    public static final class TwoInputs {
        private TwoInputs() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            DataStream<Tuple2<String, Long>> left = parsed(source(env, "left"));
            DataStream<String> right = source(env, "right");
            MapStateDescriptor<String, String> rules = new MapStateDescriptor<>("rules", Types.STRING, Types.STRING);
            left.connect(right)
                    .map(new CoMapFunction<Tuple2<String, Long>, String, String>() {
                        @Override
                        public String map1(Tuple2<String, Long> event) {
                            return "left " + event;
                        }

                        @Override
                        public String map2(String text) {
                            return "right " + text;
                        }
                    })
                    .sinkTo(new DiscardingSink<>());
            left.connect(right.broadcast(rules))
                    .process(new BroadcastProcessFunction<Tuple2<String, Long>, String, String>() {
                        @Override
                        public void processElement(
                                Tuple2<String, Long> event, ReadOnlyContext context, Collector<String> out) {
                            out.collect(event.f0);
                        }

                        @Override
                        public void processBroadcastElement(String rule, Context context, Collector<String> out) {
                            out.collect("rule " + rule);
                        }
                    })
                    .print();
            env.execute();
        }
    }

    /** Nothing but the source moves, whose strategy makes the watermarks. */
    public static final class SourceOnly {
        private SourceOnly() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            source(env, "in")
                    .assignTimestampsAndWatermarks(WatermarkStrategy.<String>forMonotonousTimestamps()
                            .withTimestampAssigner((text, before) -> parse(text).f1))
                    .process(new ProcessFunction<String, String>() {
                        @Override
                        public void processElement(String text, Context context, Collector<String> out) {
                            out.collect(
                                    text + " behind " + context.timerService().currentWatermark());
                        }
                    })
                    .print();
            env.execute();
        }
    }

    /** Everything that a job can say of where and how its operators run. */
    public static final class Placed {
        private Placed() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(3);
            SingleOutputStreamOperator<Tuple2<String, Long>> parsed = parsed(env.socketTextStream("nowhere", 1))
                    .name("parse")
                    .uid("parse")
                    .setParallelism(2)
                    .slotSharingGroup("front");
            SingleOutputStreamOperator<Tuple2<String, Long>> sums = parsed.keyBy(event -> event.f0)
                    .sum(1)
                    .name("sums")
                    .uid("sums")
                    .slotSharingGroup("back")
                    .setMaxParallelism(60);
            sums.filter(sum -> sum.f1 > 1).disableChaining().setParallelism(1).print("big");
            sums.sinkTo(new DiscardingSink<>()).name("nowhere").uid("nowhere");
            env.execute();
        }
    }

    /** Lines of files, by a way that Flink 2 does not have any more. */
    public static final class TextFile {
        private TextFile() {}

        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            @SuppressWarnings("unchecked")
            DataStream<String> lines = (DataStream<String>) StreamExecutionEnvironment.class
                    .getMethod("readTextFile", String.class)
                    .invoke(env, "/no/such/file");
            parsed(lines).keyBy(event -> event.f0).sum(1).print();
            env.execute();
        }
    }
}
