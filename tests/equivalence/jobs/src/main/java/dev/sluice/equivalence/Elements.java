package dev.sluice.equivalence;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Strings given in the program. */
public final class Elements {
    private Elements() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromData("a1,1000,2.5", "b2,2000,3.5", "none")
                .flatMap(new ParseReading())
                .map(reading -> reading.sensor)
                .print();
        env.execute("elements");
    }
}
