package dev.sluice.residual;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Counts words; nothing has a uid. With the argument {@code more} it has one more operator. */
public final class CountingJob {
    /** What came out. */
    static final BlockingQueue<String> SEEN = new LinkedBlockingQueue<>();

    private CountingJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> words = env.fromSource(
                        new QueueSource<String>("words"), WatermarkStrategy.noWatermarks(), "words", Types.STRING)
                .map(String::toLowerCase)
                .name("lower");
        if (args.length > 0) {
            words = words.filter(word -> !word.isEmpty());
        }
        words.keyBy(word -> word)
                .process(new Count())
                .name("count")
                .map(line -> {
                    SEEN.add(line);
                    return line;
                })
                .sinkTo(new DiscardingSink<>())
                .name("nowhere");
        env.execute("counting");
    }

    private static final class Count extends KeyedProcessFunction<String, String, String> {
        private static final long serialVersionUID = 1;
        private transient ValueState<Integer> count;

        @Override
        public void processElement(String word, Context context, Collector<String> out) throws Exception {
            if (count == null) {
                count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
            }
            int now = count.value() == null ? 1 : count.value() + 1;
            count.update(now);
            out.collect(word + now);
        }
    }
}
