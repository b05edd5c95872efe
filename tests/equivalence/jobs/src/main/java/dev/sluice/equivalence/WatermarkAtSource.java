package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** Event time is known at the source, in front of all operators. */
public final class WatermarkAtSource {
    private WatermarkAtSource() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        WatermarkStrategy<String> byColumn = WatermarkStrategy.<String>forBoundedOutOfOrderness(Bounded.DISORDER)
                .withTimestampAssigner((line, before) -> Bounded.timeOf(line));
        env.fromSource(Topics.lines("readings"), byColumn, "readings")
                .flatMap(new ParseReading())
                .filter(reading -> reading.value != null)
                .keyBy(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .process(new CountPerWindow())
                .print();
        env.execute("watermark at the source");
    }
}
