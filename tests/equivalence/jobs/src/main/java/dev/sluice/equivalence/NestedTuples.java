package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** Tuples in tuples, and a projection. */
public final class NestedTuples {
    private NestedTuples() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new Parse())
                .<Tuple2<Tuple2<Long, Integer>, String>>project(2, 0)
                .filter(pair -> pair.f0.f1 < 40)
                .keyBy(pair -> pair.f1)
                .reduce((one, other) -> one.f0.f0 > other.f0.f0 ? one : other)
                .print();
        env.execute("nested tuples");
    }

    private static final class Parse
            implements FlatMapFunction<String, Tuple4<String, Double, Tuple2<Long, Integer>, Boolean>> {
        private static final long serialVersionUID = 1;

        @Override
        public void flatMap(String line, Collector<Tuple4<String, Double, Tuple2<Long, Integer>, Boolean>> out) {
            Reading reading = Reading.parse(line);
            if (reading != null) {
                Tuple2<Long, Integer> nested = Tuple2.of(reading.time, (int) reading.valueOrZero());
                out.collect(Tuple4.of(reading.sensor, reading.valueOrZero(), nested, reading.value == null));
            }
        }
    }
}
