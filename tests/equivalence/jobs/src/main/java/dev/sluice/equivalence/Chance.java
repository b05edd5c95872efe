package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job whose output is another one each time. */
public final class Chance {
    private Chance() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(line -> line.length() + " " + Math.random())
                .keyBy(line -> line.charAt(0))
                .reduce((one, other) -> other)
                .print();
        env.execute("chance");
    }
}
