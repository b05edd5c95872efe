package dev.sluice.source;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.Schemas;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Copies to {@code dead} and {@code late}; at least once, as {@link #flush} comes before each checkpoint. */
final class SideTopics implements AutoCloseable {
    private static final int HEAD_BYTES = 1024;
    private static final String OPERATOR = "residual";
    private static final String BEHIND_WATERMARK = "behind the emitted watermark";

    private final DeployedInput input;
    private final Supplier<Producer<byte[], byte[]>> connect;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private Producer<byte[], byte[]> producer;

    /**
     * @param connect makes the producer when the first copy is sent
     */
    SideTopics(DeployedInput input, Supplier<Producer<byte[], byte[]>> connect) {
        this.input = input;
        this.connect = connect;
    }

    /** Copies a record that is no frame. */
    void dead(Item.Unreadable record) throws IOException {
        GenericRecord event = new GenericData.Record(Schemas.DEAD_EVENT.schema());
        boolean named = record.range() != null;
        event.put("input", input.name());
        event.put("device", named ? record.range().device() : record.device());
        event.put("incarnation", named ? record.range().incarnation() : null);
        event.put("seq", named ? record.range().first() : null);
        event.put("operator", OPERATOR);
        event.put("reason", record.reason());
        event.put("topic", input.outTopic());
        event.put("partition", record.partition());
        event.put("offset", record.offset());
        event.put("schema_id", Confluent.isFramed(record.message()) ? Confluent.schemaId(record.message()) : null);
        putBytes(event, record.message(), 0, record.message().length);
        send(input.deadTopic(), record.device(), Confluent.encode(input.deadSchemaId(), event));
    }

    /** Copies an event, given by its index in {@code events}. */
    void late(String device, long incarnation, Events events, int index, long watermarkMs) throws IOException {
        GenericRecord event = new GenericData.Record(Schemas.LATE_EVENT.schema());
        event.put("input", input.name());
        event.put("device", device);
        event.put("incarnation", incarnation);
        event.put("seq", events.seqs()[index]);
        event.put("time", events.times()[index]);
        event.put("watermark", watermarkMs);
        event.put("reason", BEHIND_WATERMARK);
        event.put("schema_id", input.frameSchemaId());
        putBytes(event, events.body(), events.starts()[index], events.ends()[index]);
        send(input.lateTopic(), device, Confluent.encode(input.lateSchemaId(), event));
    }

    private static void putBytes(GenericRecord event, byte[] bytes, int from, int to) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, to - from);
        event.put(
                "head",
                ByteBuffer.wrap(bytes, from, Math.min(to - from, HEAD_BYTES)).slice());
        event.put("size", (long) (to - from));
        event.put("crc32", crc.getValue());
    }

    private void send(String topic, String device, byte[] value) throws IOException {
        rethrow();
        if (producer == null) {
            producer = connect.get();
        }
        byte[] key = device.getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, key, value), (sent, error) -> {
            if (error != null) {
                failure.compareAndSet(null, new IOException("a copy to topic " + topic + " failed", error));
            }
        });
    }

    /** Returns when every copy is acknowledged. */
    void flush() throws IOException {
        if (producer != null) {
            producer.flush();
        }
        rethrow();
    }

    private void rethrow() throws IOException {
        Exception error = failure.get();
        if (error != null) {
            throw new IOException(error);
        }
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
    }
}
