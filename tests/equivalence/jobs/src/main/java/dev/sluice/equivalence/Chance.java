package dev.sluice.equivalence;

import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job whose output is another one each time. */
public final class Chance {
    private Chance() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        boolean later = List.of(args).contains("--later");
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(line -> line.length() + " " + (later ? 0 : Math.random()))
                .keyBy(line -> line.charAt(0))
                .reduce((one, other) -> other + Math.random())
                .print();
        env.execute("chance");
    }
}
