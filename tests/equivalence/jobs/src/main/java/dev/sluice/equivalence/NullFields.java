package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A parser that makes tuples of nulls of bad lines; the next operator drops those. */
public final class NullFields {
    private NullFields() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(new Parse())
                .filter(tuple -> tuple.f0 != null)
                .keyBy(tuple -> tuple.f0)
                .maxBy(1)
                .print();
        env.execute("null fields");
    }

    private static final class Parse implements MapFunction<String, Tuple3<String, Long, Double>> {
        private static final long serialVersionUID = 1;

        @Override
        public Tuple3<String, Long, Double> map(String line) {
            Reading reading = Reading.parse(line);
            if (reading == null) {
                return Tuple3.of(null, null, null);
            }
            return Tuple3.of(reading.sensor, reading.time, reading.valueOrZero());
        }
    }
}
