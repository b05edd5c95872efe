package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Malformed lines leave by a side output before the key. */
public final class SideOutput {
    private static final OutputTag<String> MALFORMED = new OutputTag<>("malformed") {};

    private SideOutput() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SingleOutputStreamOperator<Reading> readings = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .map(String::trim)
                .name("trim")
                .filter(line -> !line.isEmpty())
                .name("not empty")
                .process(new Parse())
                .name("parse");
        readings.getSideOutput(MALFORMED).map(line -> "malformed: " + line).print();
        readings.map(Reading::toString).print();
        env.execute("side output");
    }

    private static final class Parse extends ProcessFunction<String, Reading> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(String line, Context context, Collector<Reading> out) {
            Reading reading = Reading.parse(line);
            if (reading == null) {
                context.output(MALFORMED, line);
            } else {
                out.collect(reading);
            }
        }
    }
}
