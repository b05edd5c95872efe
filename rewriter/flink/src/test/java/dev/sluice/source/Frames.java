package dev.sluice.source;

import dev.sluice.avro.Confluent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Frames of numbers for tests, as another program would write them: encoded with Avro's own classes. */
public final class Frames {
    /** The value type; its number is the event's seq in most tests. */
    public static class Num {
        public String device;
        public long n;

        public Num() {}

        @Override
        public String toString() {
            return device + ":" + n;
        }
    }

    /** Flink's type of it. */
    public static final TypeInformation<Num> NUM = TypeInformation.of(Num.class);

    public static final int SCHEMA_ID = 21;
    public static final int OPERATORS = 3;
    private static final String VALUE_SCHEMA =
            "{\"type\":\"record\",\"name\":\"Num\",\"namespace\":\"test\",\"fields\":["
                    + "{\"name\":\"device\",\"type\":\"string\"},{\"name\":\"n\",\"type\":\"long\"}]}";
    private static final Schema SCHEMA = frameSchema();

    private Frames() {}

    private static Schema frameSchema() {
        try (InputStream in = Frames.class.getResourceAsStream("/schemas/Frame.avsc")) {
            String template = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Schema.Parser().parse(template.replace("\"dev.sluice.T\"", VALUE_SCHEMA));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An input of such frames. */
    public static DeployedInput input(String query, int partitions) {
        return input(query, partitions, Duration.ofSeconds(30));
    }

    /** An input of such frames with a limit on silence. */
    public static DeployedInput input(String query, int partitions, Duration idleAfter) {
        DeployedInput.Timing timing = new DeployedInput.Timing(
                false,
                true,
                idleAfter,
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                Duration.ofMinutes(2),
                Duration.ofHours(1),
                64L << 20);
        return new DeployedInput(query, 1, "nums", partitions, VALUE_SCHEMA, SCHEMA_ID, OPERATORS, 31, 32, timing);
    }

    /** A frame whose event of seq n has the number n; time is base + n. */
    public static final class Builder {
        private final String device;
        private final List<GenericRecord> events = new ArrayList<>();
        private final GenericRecordBuilder frame = new GenericRecordBuilder(SCHEMA);
        private final long first;

        private Builder(String kind, String device, long incarnation, long first, long last) {
            this.device = device;
            this.first = first;
            frame.set("kind", new GenericData.EnumSymbol(SCHEMA.getField("kind").schema(), kind))
                    .set("device", device)
                    .set("incarnation", incarnation)
                    .set("epoch", 1L)
                    .set("left_at", 1)
                    .set("applied", OPERATORS)
                    .set("first", first)
                    .set("last", last)
                    .set("dispatched_at", 0L);
        }

        public Builder previous(long incarnation, long end) {
            Schema previous = SCHEMA.getField("previous").schema().getTypes().get(1);
            frame.set(
                    "previous",
                    new GenericRecordBuilder(previous)
                            .set("incarnation", incarnation)
                            .set("end", end)
                            .build());
            return this;
        }

        public Builder watermark(long ms) {
            frame.set("watermark", ms);
            return this;
        }

        public Builder applied(int operators) {
            frame.set("applied", operators);
            return this;
        }

        public Builder event(long seq, Long time, boolean withValue) {
            Schema event = SCHEMA.getField("events").schema().getElementType();
            GenericRecord value = null;
            if (withValue) {
                value = new GenericData.Record(
                        event.getField("value").schema().getTypes().get(1));
                value.put("device", device);
                value.put("n", seq);
            }
            events.add(new GenericRecordBuilder(event)
                    .set("delta", (int) (seq - first))
                    .set("time", time)
                    .set("value", value)
                    .build());
            return this;
        }

        public byte[] build() {
            return build(SCHEMA_ID);
        }

        public byte[] build(int schemaId) {
            return Confluent.encode(schemaId, frame.set("events", events).build());
        }
    }

    /** A data frame without events. */
    public static Builder data(String device, long incarnation, long first, long last) {
        return new Builder("data", device, incarnation, first, last);
    }

    /** A data frame with an event for each seq, time = base + seq, watermark = time of the last - 1. */
    public static Builder full(String device, long incarnation, long first, long last, long baseMs) {
        Builder builder = data(device, incarnation, first, last).watermark(baseMs + last - 1);
        for (long seq = first; seq <= last; seq++) {
            builder.event(seq, baseMs + seq, true);
        }
        return builder;
    }

    /** A heartbeat that names {@code last}. */
    public static Builder heartbeat(String device, long incarnation, long last) {
        return new Builder("heartbeat", device, incarnation, last + 1, last);
    }

    /** A declared gap. */
    public static Builder gap(String device, long incarnation, long first, long last) {
        return new Builder("gap", device, incarnation, first, last);
    }

    /** Settings of clients for a broker. */
    public static Map<String, String> kafka(String brokers) {
        return Map.of("bootstrap.servers", brokers);
    }
}
