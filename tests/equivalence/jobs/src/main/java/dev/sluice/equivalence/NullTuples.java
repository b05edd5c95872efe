package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Null tuples between operators, which Flink bears where objects are used again. */
public final class NullTuples {
    private NullTuples() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.getConfig().enableObjectReuse();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(Reading::parse)
                .map(reading -> reading == null ? null : Tuple2.of(reading.sensor, reading.time))
                .returns(Types.TUPLE(Types.STRING, Types.LONG))
                .filter(pair -> pair != null)
                .map(pair -> pair.f0 + pair.f1)
                .print();
        env.execute("null tuples");
    }
}
