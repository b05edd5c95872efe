package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A class, a lambda and a lambda with a declared type, then keyed sums; a map behind the key is not moved. */
public final class ParseAndCount {
    private ParseAndCount() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .name("parse")
                .filter(reading -> reading.value != null && reading.value > 0)
                .name("positive")
                .map(reading -> Tuple2.of(reading.sensor, 1L))
                .returns(Types.TUPLE(Types.STRING, Types.LONG))
                .name("pair")
                .keyBy(pair -> pair.f0)
                .sum(1)
                .map(pair -> pair.f0 + ": " + pair.f1)
                .print();
        env.execute("parse and count");
    }
}
