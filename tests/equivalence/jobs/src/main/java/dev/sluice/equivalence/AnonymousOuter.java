package dev.sluice.equivalence;

import java.io.Serializable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Anonymous classes that captured the object around them. */
public final class AnonymousOuter implements Serializable {
    private static final long serialVersionUID = 1;
    private final String unit;
    private final double factor;

    private AnonymousOuter(String unit, double factor) {
        this.unit = unit;
        this.factor = factor;
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        new AnonymousOuter("K", 1.5).run();
    }

    private void run() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .filter(new FilterFunction<Reading>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public boolean filter(Reading reading) {
                        return reading.valueOrZero() * factor > 10;
                    }
                })
                .map(new MapFunction<Reading, String>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String map(Reading reading) {
                        return reading.sensor + " " + reading.valueOrZero() * factor + unit;
                    }
                })
                .print();
        env.execute("anonymous classes");
    }
}
