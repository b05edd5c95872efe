package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** A generic function that knows its type by a class token and prepares itself in open. */
public final class ClassToken {
    private ClassToken() {}

    /** Words that count. */
    public enum Animal {
        /** Runs. */
        FOX,
        /** Is jumped over. */
        DOG
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .flatMap(new Find<>(Animal.class))
                .filter(animal -> animal.ordinal() == 0)
                .map(animal -> "a " + animal.name())
                .print();
        env.execute("class token");
    }

    private static final class Find<T extends Enum<T>> extends RichFlatMapFunction<String, T>
            implements ResultTypeQueryable<T> {
        private static final long serialVersionUID = 1;
        private final Class<T> type;
        private transient T[] all;

        private Find(Class<T> type) {
            this.type = type;
        }

        @Override
        public void open(OpenContext context) {
            all = type.getEnumConstants();
        }

        @Override
        public void flatMap(String line, Collector<T> out) {
            for (T each : all) {
                if (line.contains(each.name().toLowerCase())) {
                    out.collect(each);
                }
            }
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return TypeInformation.of(type);
        }
    }
}
