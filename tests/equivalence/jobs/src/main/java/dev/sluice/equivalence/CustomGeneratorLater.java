package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** A watermark generator of the user's own behind an operator: it stays, and what stands behind it. */
public final class CustomGeneratorLater {
    private CustomGeneratorLater() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(
                        EveryTenth.<Reading>strategy().withTimestampAssigner((reading, before) -> reading.time))
                .filter(reading -> reading.value != null)
                .keyBy(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .process(new CountPerWindow())
                .print();
        env.execute("custom generator behind an operator");
    }
}
