package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;

/** Event time is assigned behind the last operator that moves. */
public final class WatermarkAfter {
    private WatermarkAfter() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(Reading::parse)
                .filter(reading -> reading != null)
                .assignTimestampsAndWatermarks(Bounded.byTime())
                .keyBy(reading -> reading.sensor)
                .window(SlidingEventTimeWindows.of(Duration.ofSeconds(20), Duration.ofSeconds(5)))
                .process(new CountPerWindow())
                .print();
        env.execute("watermark after");
    }
}
