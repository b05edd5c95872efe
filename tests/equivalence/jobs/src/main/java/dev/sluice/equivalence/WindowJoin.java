package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** Two sources joined by window: Flink puts maps of its own in front, which belong to the join. */
public final class WindowJoin {
    private WindowJoin() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        readings(env, "indoors")
                .join(readings(env, "outdoors"))
                .where(reading -> reading.sensor)
                .equalTo(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(5)))
                .apply((in, out) -> in.sensor + " " + in.time + " " + out.time)
                .print();
        env.execute("window join");
    }

    private static DataStream<Reading> readings(StreamExecutionEnvironment env, String topic) {
        return env.fromSource(Topics.lines(topic), WatermarkStrategy.noWatermarks(), topic)
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(Bounded.byTime());
    }
}
