package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A user's mistake: the stream with event time is made and nobody reads it. */
public final class WatermarkDangling {
    private WatermarkDangling() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Reading> readings = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading());
        readings.assignTimestampsAndWatermarks(Bounded.byTime());
        readings.map(reading -> reading.sensor + " " + reading.value).print();
        env.execute("dangling watermark");
    }
}
