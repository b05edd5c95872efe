package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.timestamps.AscendingTimestampExtractor;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;

/** Times that should only grow, by Flink's class from before there were strategies. */
public final class LegacyAscending {
    private LegacyAscending() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(new Rising())
                .keyBy(reading -> reading.sensor)
                .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(4)))
                .process(new CountPerWindow())
                .print();
        env.execute("legacy ascending");
    }

    private static final class Rising extends AscendingTimestampExtractor<Reading> {
        private static final long serialVersionUID = 1;

        @Override
        public long extractAscendingTimestamp(Reading reading) {
            return reading.time;
        }
    }
}
