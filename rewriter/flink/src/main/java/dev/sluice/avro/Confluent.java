package dev.sluice.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** The Confluent wire format: a zero byte, the schema's registry id (4 bytes, big-endian), the Avro body. */
public final class Confluent {
    /** The bytes in front of the body. */
    public static final int HEADER_BYTES = 5;

    private Confluent() {}

    /** Whether a message begins as the wire format does. */
    public static boolean isFramed(byte[] message) {
        return message != null && message.length >= HEADER_BYTES && message[0] == 0;
    }

    /** The schema id of a framed message. */
    public static int schemaId(byte[] message) {
        return ByteBuffer.wrap(message, 1, Integer.BYTES).getInt();
    }

    /** A record with its header. */
    public static byte[] encode(int schemaId, GenericRecord record) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        out.writeBytes(
                ByteBuffer.allocate(HEADER_BYTES).put((byte) 0).putInt(schemaId).array());
        try {
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** A control record, read with the compiled-in schema whatever the id says. */
    public static GenericRecord decode(Schema schema, byte[] message) {
        if (!isFramed(message)) {
            throw new MalformedException("no header of the wire format");
        }
        try {
            var decoder =
                    DecoderFactory.get().binaryDecoder(message, HEADER_BYTES, message.length - HEADER_BYTES, null);
            return new GenericDatumReader<GenericRecord>(schema).read(null, decoder);
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException e) {
            throw new MalformedException("no " + schema.getName() + ": " + e.getMessage());
        }
    }
}
