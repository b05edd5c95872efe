package dev.sluice.equivalence;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** The source's schema makes several values of a message, or none. */
public final class CollectorSchema {
    private CollectorSchema() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.values("sentences", new Words()), WatermarkStrategy.noWatermarks(), "sentences")
                .map(String::toLowerCase)
                .keyBy(word -> word)
                .reduce((one, other) -> one)
                .print();
        env.execute("a schema that explodes");
    }

    private static final class Words implements DeserializationSchema<String> {
        private static final long serialVersionUID = 1;
        private transient String separator;

        @Override
        public void open(InitializationContext context) {
            separator = " ";
        }

        @Override
        public String deserialize(byte[] message) throws IOException {
            throw new IOException("one message, many words");
        }

        @Override
        public void deserialize(byte[] message, Collector<String> out) {
            for (String word : new String(message, StandardCharsets.UTF_8).split(separator)) {
                if (!word.isEmpty()) {
                    out.collect(word);
                }
            }
        }

        @Override
        public boolean isEndOfStream(String word) {
            return false;
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
