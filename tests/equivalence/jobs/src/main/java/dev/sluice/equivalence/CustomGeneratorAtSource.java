package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** A watermark generator of the user's own, at the source: it moves with it. */
public final class CustomGeneratorAtSource {
    private CustomGeneratorAtSource() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        WatermarkStrategy<String> strategy =
                EveryTenth.<String>strategy().withTimestampAssigner((line, before) -> Bounded.timeOf(line));
        env.fromSource(Topics.lines("readings"), strategy, "readings")
                .flatMap(new ParseReading())
                .keyBy(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .process(new CountPerWindow())
                .print();
        env.execute("custom generator at the source");
    }
}
