package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;

/** Times that should only grow (those that don't are late), and a limit after which the source counts as idle. */
public final class MonotonousIdle {
    private MonotonousIdle() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Reading>forMonotonousTimestamps()
                        .withTimestampAssigner((reading, before) -> reading.time)
                        .withIdleness(Duration.ofMinutes(5)))
                .keyBy(reading -> reading.sensor)
                .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(4)))
                .process(new CountPerWindow())
                .print();
        env.execute("monotonous, with idleness");
    }
}
