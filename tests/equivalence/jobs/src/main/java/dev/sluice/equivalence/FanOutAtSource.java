package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A source read twice: nothing moves but the source itself. */
public final class FanOutAtSource {
    private FanOutAtSource() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> lines =
                env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings");
        lines.map(String::length).print();
        lines.filter(line -> Reading.parse(line) == null).print();
        env.execute("fan-out at the source");
    }
}
