package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Java records, one in another. */
public final class Records {
    private Records() {}

    /** Where. */
    public record Cell(int row, int column) {}

    /** What is where. */
    public record Located(String sensor, Cell cell, Double value) {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .map(Records::locate)
                .filter(located -> located.cell() == null || located.cell().row() < 8)
                .keyBy(Located::sensor)
                .reduce((one, other) -> new Located(one.sensor(), other.cell(), one.value()))
                .print();
        env.execute("records");
    }

    private static Located locate(Reading reading) {
        long place = Math.floorMod(reading.time, 100L);
        Cell cell = place == 13 ? null : new Cell((int) place / 10, (int) place % 10);
        return new Located(reading.sensor, cell, reading.value);
    }
}
