package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** A process function that reads the current watermark stays: it depends on more than its event. */
public final class CurrentWatermark {
    private CurrentWatermark() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .assignTimestampsAndWatermarks(Bounded.byTime())
                .filter(reading -> reading.value != null)
                .process(new Behind())
                .print();
        env.execute("current watermark");
    }

    private static final class Behind extends ProcessFunction<Reading, String> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(Reading reading, Context context, Collector<String> out) {
            boolean late = reading.time <= context.timerService().currentWatermark();
            out.collect(reading.sensor + (late ? " late" : " in time"));
        }
    }
}
