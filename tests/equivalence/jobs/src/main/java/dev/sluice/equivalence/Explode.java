package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** The word count: a line becomes no word, one, or many; each word twice if it is long. */
public final class Explode {
    private Explode() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .flatMap(new Words())
                .flatMap((Tuple2<String, Integer> pair, Collector<Tuple2<String, Integer>> out) -> {
                    out.collect(pair);
                    if (pair.f0.length() > 6) {
                        out.collect(Tuple2.of(pair.f0.substring(6), 0));
                    }
                })
                .returns(Types.TUPLE(Types.STRING, Types.INT))
                .filter(pair -> !pair.f0.equals("the"))
                .keyBy(pair -> pair.f0)
                .sum(1)
                .print();
        env.execute("explode");
    }

    private static final class Words implements FlatMapFunction<String, Tuple2<String, Integer>> {
        private static final long serialVersionUID = 1;

        @Override
        public void flatMap(String line, Collector<Tuple2<String, Integer>> out) {
            for (String word : line.toLowerCase().split("\\W+")) {
                if (!word.isEmpty()) {
                    out.collect(Tuple2.of(word, 1));
                }
            }
        }
    }
}
