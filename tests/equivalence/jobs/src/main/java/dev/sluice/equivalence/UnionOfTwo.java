package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** Two sources of different form, parsed on their own, then one stream. */
public final class UnionOfTwo {
    private UnionOfTwo() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Reading> indoors = env.fromSource(
                        Topics.lines("indoors"), WatermarkStrategy.noWatermarks(), "indoors")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(Bounded.byTime());
        DataStream<Reading> outdoors = env.fromSource(
                        Topics.lines("outdoors"), WatermarkStrategy.noWatermarks(), "outdoors")
                .flatMap(new ParseReading())
                .filter(reading -> !reading.sensor.startsWith("b"))
                .assignTimestampsAndWatermarks(Bounded.byTime());
        indoors.union(outdoors)
                .map(reading -> Tuple2.of(reading.sensor, 1L))
                .returns(Types.TUPLE(Types.STRING, Types.LONG))
                .keyBy(pair -> pair.f0)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(60)))
                .sum(1)
                .print();
        env.execute("union of two");
    }
}
