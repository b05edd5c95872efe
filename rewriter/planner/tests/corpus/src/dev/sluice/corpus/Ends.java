package dev.sluice.corpus;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Chains that end by the shape of the graph. */
final class Ends {
    static final class Keyed {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings().filter(reading -> reading.value >= 0).name("valid"));
        }
    }

    /** Redistributions mean nothing within a device, but the last one is the job's own. */
    static final class Rebalanced {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<Reading> readings = job.lines("lines").rebalance().map(Reading::parse).name("parse");
            readings.shuffle().sinkTo(new DiscardingSink<>()).name("nowhere");
            job.env.execute();
        }
    }

    static final class FanOut {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<Reading> readings = job.readings();
            readings.map(reading -> reading.site).name("sites").sinkTo(new DiscardingSink<>());
            job.run(readings.filter(reading -> reading.value < 0).name("negative"));
        }
    }

    static final class Union {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<Reading> one = job.lines("one").map(Reading::parse);
            DataStream<Reading> other = job.lines("other").map(Reading::parse).filter(r -> r.value > 0);
            job.run(one.union(other));
        }
    }

    static final class Connect {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<String> names = job.lines("names");
            job.run(job.readings().connect(names).map(new Both()).name("both"));
        }

        static final class Both implements CoMapFunction<Reading, String, String> {
            @Override
            public String map1(Reading reading) {
                return reading.site;
            }

            @Override
            public String map2(String name) {
                return name;
            }
        }
    }

    static final class WindowJoin {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<String> one = job.lines("one", Job.lineTime());
            DataStream<String> other = job.lines("other", Job.lineTime());
            job.run(one.join(other)
                    .where(line -> line)
                    .equalTo(line -> line)
                    .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
                    .apply((a, b) -> a + b, Types.STRING));
        }
    }

    static final class SideOutput {
        static final OutputTag<String> BAD = new OutputTag<>("bad", Types.STRING);

        public static void main(String[] args) throws Exception {
            Job job = new Job();
            SingleOutputStreamOperator<Reading> readings = job.lines("lines")
                    .filter(line -> !line.isEmpty())
                    .process(new Parse())
                    .name("parse");
            readings.getSideOutput(BAD).sinkTo(new DiscardingSink<>());
            job.run(readings);
        }

        static final class Parse extends ProcessFunction<String, Reading> {
            @Override
            public void processElement(String line, Context context, Collector<Reading> out) {
                try {
                    out.collect(Reading.parse(line));
                } catch (NumberFormatException bad) {
                    context.output(BAD, line);
                }
            }
        }
    }

    static final class Broadcast {
        static final MapStateDescriptor<String, String> RULES =
                new MapStateDescriptor<>("rules", Types.STRING, Types.STRING);

        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<String> rules = job.lines("rules").filter(rule -> !rule.isEmpty());
            job.run(job.readings().connect(rules.broadcast(RULES)).process(new Apply()).name("apply"));
        }

        static final class Apply extends BroadcastProcessFunction<Reading, String, Reading> {
            @Override
            public void processElement(Reading reading, ReadOnlyContext context, Collector<Reading> out) {
                out.collect(reading);
            }

            @Override
            public void processBroadcastElement(String rule, Context context, Collector<Reading> out)
                    throws Exception {
                context.getBroadcastState(RULES).put(rule, rule);
            }
        }
    }

    static final class CustomPartitioner {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<Reading> dealt = job.readings()
                    .partitionCustom((site, count) -> Math.floorMod(site.hashCode(), count), r -> r.site);
            job.run(dealt.filter(reading -> reading.value > 0));
        }
    }

    static final class Async {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(AsyncDataStream.orderedWait(job.readings(), new LookUp(), 1, TimeUnit.SECONDS));
        }

        static final class LookUp implements AsyncFunction<Reading, Reading> {
            @Override
            public void asyncInvoke(Reading reading, ResultFuture<Reading> result) {
                result.complete(Collections.singleton(reading));
            }
        }
    }

    static final class SinkAtOnce {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.readings().sinkTo(new DiscardingSink<>()).name("nowhere");
            job.env.execute();
        }
    }

    static final class OwnOperator {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings().transform("own", Types.POJO(Reading.class), new Pass()));
        }

        static final class Pass extends AbstractStreamOperator<Reading>
                implements OneInputStreamOperator<Reading, Reading> {
            @Override
            public void processElement(StreamRecord<Reading> element) {
                output.collect(element);
            }
        }
    }

    static final class Checkpointed {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings().map(new Count()).name("count"));
        }

        static final class Count implements MapFunction<Reading, Long>, CheckpointedFunction {
            private long count;

            @Override
            public Long map(Reading reading) {
                return ++count;
            }

            @Override
            public void snapshotState(FunctionSnapshotContext context) {}

            @Override
            public void initializeState(FunctionInitializationContext context) {}
        }
    }

    private Ends() {}
}
