package dev.sluice.equivalence;

import java.util.Map;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A function that counts for people: metrics, an accumulator, a parameter of the job. */
public final class Instrumented {
    private Instrumented() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Configuration parameters = Configuration.fromMap(Map.of("greeting", "hello"));
        env.getConfig().setGlobalJobParameters(parameters);
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(new Greet())
                .keyBy(String::length)
                .reduce((one, other) -> other)
                .print();
        env.execute("instrumented");
    }

    private static final class Greet extends RichMapFunction<String, String> {
        private static final long serialVersionUID = 1;
        private final LongCounter lines = new LongCounter();
        private transient Counter counter;
        private transient String greeting;

        @Override
        public void open(OpenContext context) {
            counter = getRuntimeContext().getMetricGroup().addGroup("greet").counter("lines");
            getRuntimeContext().addAccumulator("lines", lines);
            greeting = getRuntimeContext().getGlobalJobParameters().get("greeting");
        }

        @Override
        public String map(String line) {
            counter.inc();
            lines.add(1L);
            return greeting + " " + line;
        }
    }
}
