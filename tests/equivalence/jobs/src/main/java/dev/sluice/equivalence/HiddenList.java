package dev.sluice.equivalence;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A filter that remembers what it has seen: no field is ever assigned again, but the set in it changes. */
public final class HiddenList {
    private HiddenList() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(line -> line.isEmpty() ? "-" : line.split(" ")[0])
                .filter(new Unseen())
                .print();
        env.execute("hidden state in a collection");
    }

    private static final class Unseen extends RichFilterFunction<String> {
        private static final long serialVersionUID = 1;
        private transient Set<String> seen;

        @Override
        public void open(OpenContext context) {
            seen = new HashSet<>();
        }

        @Override
        public boolean filter(String word) {
            return seen.add(word);
        }
    }
}
