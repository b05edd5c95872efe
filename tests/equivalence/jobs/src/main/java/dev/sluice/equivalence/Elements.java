package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Strings given in the program beside those of a topic. */
public final class Elements {
    private Elements() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Reading> given =
                env.fromData("a1,1000,2.5", "b2,2000,3.5", "none").flatMap(new ParseReading());
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .union(given)
                .map(reading -> reading.sensor)
                .print();
        env.execute("elements");
    }
}
