package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** Event time is assigned between operators that move; one behind it drops what event time has seen. */
public final class WatermarkBetween {
    private WatermarkBetween() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(Bounded.byTime())
                .filter(reading -> reading.value != null)
                .map(reading -> new Reading(reading.sensor.toUpperCase(), reading.time, reading.value / 2))
                .keyBy(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .process(new CountPerWindow())
                .print();
        env.execute("watermark between");
    }
}
