package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.util.Collector;

/** Rules reach every task; what is measured meets them there. */
public final class BroadcastRules {
    private static final MapStateDescriptor<String, Long> RULES =
            new MapStateDescriptor<>("rules", Types.STRING, Types.LONG);

    private BroadcastRules() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        BroadcastStream<String> rules = env.fromSource(Topics.lines("rules"), WatermarkStrategy.noWatermarks(), "rules")
                .filter(line -> !line.isBlank())
                .broadcast(RULES);
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .map(reading -> reading.sensor)
                .connect(rules)
                .process(new Apply())
                .print();
        env.execute("broadcast");
    }

    private static final class Apply extends BroadcastProcessFunction<String, String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(String sensor, ReadOnlyContext context, Collector<String> out) {
            // Which rules are there already is a matter of chance.
            out.collect("sensor " + sensor);
        }

        @Override
        public void processBroadcastElement(String rule, Context context, Collector<String> out) throws Exception {
            context.getBroadcastState(RULES).put(rule, (long) rule.length());
            out.collect("rule " + rule);
        }
    }
}
