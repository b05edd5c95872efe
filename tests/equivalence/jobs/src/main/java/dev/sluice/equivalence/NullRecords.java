package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Null texts and null objects between operators; the next one drops them. */
public final class NullRecords {
    private NullRecords() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(line -> line.contains("?") ? null : line)
                .map(line -> line == null ? null : Reading.parse(line))
                .map(reading -> reading == null ? "nothing" : reading.value == null ? null : reading.sensor)
                .filter(text -> text != null)
                .print();
        env.execute("null records");
    }
}
