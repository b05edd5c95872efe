package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** A process function that reads the time of its event moves with the assigner in front of it. */
public final class TimestampInProcess {
    private TimestampInProcess() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(Bounded.byTime())
                .map(reading -> reading.sensor)
                .process(new Stamp())
                .keyBy(line -> line.substring(0, 1))
                .reduce((one, other) -> one.length() > other.length() ? one : other)
                .print();
        env.execute("timestamp in a process function");
    }

    private static final class Stamp extends ProcessFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(String sensor, Context context, Collector<String> out) {
            out.collect(sensor + "@" + context.timestamp());
        }
    }
}
