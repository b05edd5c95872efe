package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One parsed stream, read by a filter and by a keyed sum. */
public final class FanOut {
    private FanOut() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Reading> readings = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading());
        readings.filter(reading -> reading.valueOrZero() > 50)
                .map(reading -> "hot " + reading.sensor)
                .print();
        readings.map(reading -> Tuple2.of(reading.sensor, Math.round(reading.valueOrZero())))
                .returns(Types.TUPLE(Types.STRING, Types.LONG))
                .keyBy(pair -> pair.f0)
                .sum(1)
                .print();
        env.execute("fan-out");
    }
}
