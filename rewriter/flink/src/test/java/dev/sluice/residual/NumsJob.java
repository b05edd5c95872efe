package dev.sluice.residual;

import dev.sluice.source.Frames;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Shows each number with its time. */
public final class NumsJob {
    /** What came out. */
    static final BlockingQueue<String> SEEN = new LinkedBlockingQueue<>();

    private NumsJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(
                        new QueueSource<Frames.Num>("unused"),
                        WatermarkStrategy.<Frames.Num>forMonotonousTimestamps()
                                .withTimestampAssigner((num, before) -> num.n),
                        "nums",
                        Frames.NUM)
                .process(new Show(args[0]))
                .sinkTo(new DiscardingSink<>());
        env.execute("show");
    }

    private static final class Show extends ProcessFunction<Frames.Num, String> {
        private static final long serialVersionUID = 1;
        private final String prefix;

        Show(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public void processElement(Frames.Num num, Context context, Collector<String> out) {
            SEEN.add(prefix + num + "@" + context.timestamp());
        }
    }
}
