package dev.sluice.equivalence;

import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Lambdas that captured locals of main: a number, a text, a list, an array. */
public final class CapturedLocals {
    private CapturedLocals() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        double limit = args.length > 0 ? Double.parseDouble(args[0]) : 20;
        String prefix = "above " + limit + ": ";
        List<String> ignored = List.of("a1", "c3");
        int[] weights = {1, 3, 5};
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .filter(reading -> reading.valueOrZero() > limit && !ignored.contains(reading.sensor))
                .map(reading -> prefix + reading.sensor + " " + weights[(int) Math.abs(reading.time % 3)])
                .print();
        env.execute("captured locals");
    }
}
