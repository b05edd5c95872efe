package dev.sluice.equivalence;

import java.lang.reflect.Constructor;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** A function that calls by reflection: what that does cannot be told, so it stays. */
public final class Reflection {
    private Reflection() {}

    /** A thing made of a text. */
    public static class Name {
        /** The text. */
        public String text;

        /** For Flink. */
        public Name() {}

        /** A name; refuses the empty text. */
        public Name(String text) {
            if (text.isBlank()) {
                throw new IllegalArgumentException("no name");
            }
            this.text = text;
        }
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .flatMap(new Make<>(Name.class))
                .filter(name -> name.text.length() < 20)
                .map(name -> "<" + name.text + ">")
                .print();
        env.execute("reflection");
    }

    private static final class Make<T> extends RichFlatMapFunction<String, T> implements ResultTypeQueryable<T> {
        private static final long serialVersionUID = 1;
        private final Class<T> type;
        private transient Constructor<T> constructor;

        private Make(Class<T> type) {
            this.type = type;
        }

        @Override
        public void open(OpenContext context) throws NoSuchMethodException {
            constructor = type.getConstructor(String.class);
        }

        @Override
        public void flatMap(String line, Collector<T> out) {
            try {
                out.collect(constructor.newInstance(line));
            } catch (ReflectiveOperationException e) {
                // Not one of those.
            }
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return TypeInformation.of(type);
        }
    }
}
