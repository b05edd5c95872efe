package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Texts cut in the middle of a character: Java bears them, UTF-8 does not. */
public final class HalfCharacters {
    private HalfCharacters() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(line -> line.isEmpty() ? "" : line.substring(0, 1))
                .name("initial")
                .map(initial -> "initial " + initial.length())
                .print();
        env.execute("half characters");
    }
}
