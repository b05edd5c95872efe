package dev.sluice.avro;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

class AvroInputTest {
    private interface Writer {
        void write(BinaryEncoder out) throws IOException;
    }

    private static AvroInput input(Writer writer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        writer.write(out);
        out.flush();
        return new AvroInput(bytes.toByteArray(), 0);
    }

    @Test
    void readsWhatAvroWrites() throws IOException {
        long[] longs = {0, -1, 1, 63, 64, -65, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE};
        AvroInput in = input(out -> {
            for (long value : longs) {
                out.writeLong(value);
            }
            out.writeInt(Integer.MIN_VALUE);
            out.writeDouble(-0.1);
            out.writeFloat(2.5f);
            out.writeBoolean(true);
            out.writeString("grüße 😀");
            out.writeBytes(new byte[] {1, 2});
        });
        for (long value : longs) {
            assertEquals(value, in.readLong());
        }
        assertEquals(Integer.MIN_VALUE, in.readInt());
        assertEquals(-0.1, in.readDouble());
        assertEquals(2.5f, in.readFloat());
        assertTrue(in.readBoolean());
        assertEquals("grüße 😀", in.readString());
        assertFalse(in.atEnd());
        assertArrayEquals(new byte[] {1, 2}, in.readBytes());
        assertTrue(in.atEnd());
    }

    @Test
    void refusesNumbersOutOfRange() throws IOException {
        AvroInput in = input(out -> out.writeLong(1L << 31));
        assertThrows(MalformedException.class, in::readInt);
        assertThrows(MalformedException.class, () -> new AvroInput(new byte[] {4}, 0).readIndex(2));
        assertThrows(MalformedException.class, () -> new AvroInput(new byte[] {2}, 0).readBoolean());
        byte[] endless = new byte[11];
        Arrays.fill(endless, (byte) 0x80);
        assertThrows(MalformedException.class, () -> new AvroInput(endless, 0).readLong());
    }

    @Test
    void refusesLengthsBeyondTheEndBeforeAllocating() throws IOException {
        assertThrows(MalformedException.class, () -> input(out -> out.writeLong(1L << 40))
                .readString());
        assertThrows(
                MalformedException.class, () -> input(out -> out.writeLong(-1)).readBytes());
        assertThrows(MalformedException.class, () -> input(out -> out.writeLong(1L << 40))
                .readBlock(1));
        assertThrows(MalformedException.class, () -> input(out -> {
                    out.writeLong(Long.MIN_VALUE);
                    out.writeLong(8);
                })
                .readBlock(1));
    }

    @Test
    void randomBytesNeverDoMoreThanRefuse() {
        Random random = new Random(11);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            AvroInput in = new AvroInput(bytes, 0);
            try {
                in.readLong();
                in.readString();
                in.readDouble();
                in.readBlock(3);
                in.readBytes();
            } catch (MalformedException expected) {
                assertTrue(in.position() <= bytes.length);
            }
        }
    }
}
