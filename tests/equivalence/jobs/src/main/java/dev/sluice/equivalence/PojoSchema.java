package dev.sluice.equivalence;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The source's schema parses: an operator that nobody sees. What it can't parse it drops. */
public final class PojoSchema {
    private PojoSchema() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.values("readings", new ReadingSchema()), WatermarkStrategy.noWatermarks(), "readings")
                .filter(reading -> reading.value != null)
                .assignTimestampsAndWatermarks(Bounded.byTime())
                .map(reading -> reading.sensor + ":" + Math.round(reading.value))
                .keyBy(line -> line.charAt(0))
                .reduce((one, other) -> one.compareTo(other) > 0 ? one : other)
                .print();
        env.execute("a schema that parses");
    }

    private static final class ReadingSchema extends AbstractDeserializationSchema<Reading> {
        private static final long serialVersionUID = 1;

        @Override
        public Reading deserialize(byte[] message) {
            return Reading.parse(new String(message, StandardCharsets.UTF_8));
        }
    }
}
