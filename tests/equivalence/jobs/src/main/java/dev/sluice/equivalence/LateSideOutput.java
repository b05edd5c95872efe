package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.OutputTag;

/** Late readings change a window for a while, and go to a side output afterwards. */
public final class LateSideOutput {
    private static final OutputTag<Reading> LATE = new OutputTag<>("late") {};

    private LateSideOutput() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SingleOutputStreamOperator<String> windows = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Reading>forBoundedOutOfOrderness(Duration.ofMillis(500))
                                .withTimestampAssigner((reading, before) -> reading.time))
                .filter(reading -> reading.valueOrZero() >= 0)
                .keyBy(reading -> reading.sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(4)))
                .allowedLateness(Duration.ofSeconds(1))
                .sideOutputLateData(LATE)
                .process(new CountPerWindow());
        windows.print();
        windows.getSideOutput(LATE).map(reading -> "late: " + reading).print();
        env.execute("late data");
    }
}
