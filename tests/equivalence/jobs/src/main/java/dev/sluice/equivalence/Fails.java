package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A function that some lines are too much for: the job fails on them. */
public final class Fails {
    private Fails() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(line -> line.split(",")[1])
                .map(Long::parseLong)
                .map(time -> "at " + time)
                .print();
        env.execute("fails");
    }
}
