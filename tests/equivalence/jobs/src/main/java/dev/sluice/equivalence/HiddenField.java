package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A function that counts in a field is not stateless, whatever its kind says. */
public final class HiddenField {
    private HiddenField() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .filter(line -> !line.isEmpty())
                .map(new Numbered())
                .map(String::trim)
                .print();
        env.execute("hidden state in a field");
    }

    private static final class Numbered implements MapFunction<String, String> {
        private static final long serialVersionUID = 1;
        private long count;

        @Override
        public String map(String line) {
            count++;
            return count + " " + line;
        }
    }
}
