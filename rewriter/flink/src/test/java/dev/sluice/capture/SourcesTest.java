package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.util.SerializedValue;
import org.junit.jupiter.api.Test;

/** What a source's events are made of. */
final class SourcesTest {
    private static final class Numbers extends AbstractDeserializationSchema<Long> {
        private static final long serialVersionUID = 1;

        @Override
        public Long deserialize(byte[] message) {
            return (long) message.length;
        }
    }

    /** As connectors keep their schema. */
    private record Connector(String name, Serializable deserializer) {}

    private static final class Consumer {
        private final SerializedValue<WatermarkStrategy<Long>> watermarkStrategy;

        Consumer(WatermarkStrategy<Long> strategy) throws Exception {
            this.watermarkStrategy = new SerializedValue<>(strategy);
        }
    }

    private static final class SetsTime {
        void run(WatermarkOutput output) {
            output.emitWatermark(new Watermark(1));
        }
    }

    private static Sources.Described of(Object source, TypeInformation<?> output) {
        return Sources.of(source, Boundedness.CONTINUOUS_UNBOUNDED, output);
    }

    private static String reads(Object source, TypeInformation<?> output) {
        return of(source, output).source().reads();
    }

    @Test
    void aSchemaMakesValuesFromBytes() {
        Numbers schema = new Numbers();
        Sources.Described described = of(new Connector("c", schema), Types.LONG);
        assertEquals("schema", described.source().reads());
        assertSame(schema, described.schema());
    }

    @Test
    void theSchemaOfStringsIsTextInUtf8Only() {
        assertEquals("text", reads(new Connector("c", new SimpleStringSchema()), Types.STRING));
        assertNull(
                of(new Connector("c", new SimpleStringSchema()), Types.STRING).schema());
        assertEquals(
                "schema", reads(new Connector("c", new SimpleStringSchema(StandardCharsets.UTF_16)), Types.STRING));
        assertEquals("schema", reads(new Connector("c", new SimpleStringSchema() {}), Types.STRING));
    }

    @Test
    void aSchemaOfAnotherTypeIsNotTheSources() {
        assertEquals("opaque", reads(new Connector("c", new Numbers()), Types.INT));
    }

    @Test
    void withoutASchemaTheTypeDecides() {
        assertEquals("text", reads(new Connector("c", "x"), Types.STRING));
        assertEquals("bytes", reads(new Connector("c", "x"), Types.PRIMITIVE_ARRAY(Types.BYTE)));
        assertEquals("opaque", reads(new Connector("c", "x"), Types.LONG));
    }

    @Test
    void aSourceThatSetsTimeItselfIsSeen() {
        assertTrue(of(new SetsTime(), Types.STRING).source().ownTime());
        assertEquals(false, of(new Connector("c", "x"), Types.STRING).source().ownTime());
    }

    @Test
    void aConsumersOwnStrategyIsFound() throws Exception {
        WatermarkStrategy<?> strategy = Sources.ownStrategy(
                new Consumer(WatermarkStrategy.forMonotonousTimestamps()),
                getClass().getClassLoader());
        assertEquals("monotonous", Strategies.of(strategy, "e").strategy());
        assertNull(Sources.ownStrategy(new Connector("c", "x"), getClass().getClassLoader()));
    }
}
