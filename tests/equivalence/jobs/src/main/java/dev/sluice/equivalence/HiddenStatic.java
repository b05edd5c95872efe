package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A lambda that keeps the previous line's length in a static field. */
public final class HiddenStatic {
    private static int previous;

    private HiddenStatic() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(String::trim)
                .filter(line -> !line.isEmpty())
                .map(HiddenStatic::change)
                .print();
        env.execute("hidden state in a static field");
    }

    private static String change(String line) {
        int change = line.length() - previous;
        previous = line.length();
        return line + " " + (change > 0 ? "longer" : "not longer");
    }
}
