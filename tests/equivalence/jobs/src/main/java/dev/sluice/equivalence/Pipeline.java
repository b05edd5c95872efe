package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The base of a family of jobs, and of their functions. */
abstract class Pipeline {
    /** Builds the job and runs it. */
    final void run(String name) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> lines =
                env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences");
        finish(clean(lines));
        env.execute(name);
    }

    /** What a job of the family does with clean lines. */
    abstract void finish(DataStream<String> lines);

    private static DataStream<String> clean(DataStream<String> lines) {
        return lines.map(new Trim()).filter(line -> !line.isEmpty());
    }

    /** A function of which the subclass gives the second half. */
    abstract static class Step extends RichMapFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public String map(String line) {
            return before(line) + after(line);
        }

        private String before(String line) {
            return line.length() + " ";
        }

        abstract String after(String line);
    }

    private static final class Trim implements MapFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public String map(String line) {
            return line.trim();
        }
    }
}
