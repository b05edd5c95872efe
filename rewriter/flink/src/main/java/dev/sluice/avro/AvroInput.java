package dev.sluice.avro;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads Avro's binary encoding from an array. Every length is checked against what is left before anything is allocated,
 * so bytes that are no Avro cost no more than their size.
 */
public final class AvroInput {
    private static final VarHandle LITTLE_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int MAX_VARINT_BYTES = 10;

    private byte[] bytes;
    private int position;
    private int end;

    /** Reads {@code bytes} from {@code position}. */
    public AvroInput(byte[] bytes, int position) {
        reset(bytes, position, bytes.length);
    }

    /** Reads other bytes from now on: those of {@code bytes} from {@code position} to {@code end}, exclusive. */
    public void reset(byte[] bytes, int position, int end) {
        this.bytes = bytes;
        this.position = position;
        this.end = end;
    }

    /** The index of the next byte. */
    public int position() {
        return position;
    }

    /** Whether everything was read. */
    public boolean atEnd() {
        return position == end;
    }

    /** A {@code long}. */
    public long readLong() {
        long zigzag = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            byte b = bytes[take(1)];
            zigzag |= (long) (b & 0x7f) << (7 * i);
            if (b >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw new MalformedException("a number has more than " + MAX_VARINT_BYTES + " bytes");
    }

    /** An {@code int}. */
    public int readInt() {
        long value = readLong();
        if (value != (int) value) {
            throw new MalformedException(value + " is no int");
        }
        return (int) value;
    }

    /** The index of a union's branch or an enum's symbol, of {@code count}. */
    public int readIndex(int count) {
        int index = readInt();
        if (index < 0 || index >= count) {
            throw new MalformedException("branch " + index + " of " + count);
        }
        return index;
    }

    /** Whether the union {@code ["null", T]} has a value. */
    public boolean readPresent() {
        return readIndex(2) == 1;
    }

    /** A number of four bytes, big-endian: no Avro, but what the records around it need. */
    public int readFixedInt() {
        return Integer.reverseBytes((int) LITTLE_ENDIAN_INT.get(bytes, take(Integer.BYTES)));
    }

    /** Steps over so many bytes, which are there; where they start. */
    public int skip(int count) {
        if (count < 0) {
            throw new MalformedException(count + " bytes");
        }
        return take(count);
    }

    /** A {@code boolean}. */
    public boolean readBoolean() {
        byte value = bytes[take(1)];
        if ((value & ~1) != 0) {
            throw new MalformedException(value + " is no boolean");
        }
        return value == 1;
    }

    /** A {@code float}. */
    public float readFloat() {
        return Float.intBitsToFloat((int) LITTLE_ENDIAN_INT.get(bytes, take(Float.BYTES)));
    }

    /** A {@code double}. */
    public double readDouble() {
        return Double.longBitsToDouble((long) LITTLE_ENDIAN_LONG.get(bytes, take(Double.BYTES)));
    }

    /** A {@code string}. */
    public String readString() {
        int length = readLength();
        return new String(bytes, take(length), length, StandardCharsets.UTF_8);
    }

    /** {@code bytes}. */
    public byte[] readBytes() {
        int length = readLength();
        int start = take(length);
        return Arrays.copyOfRange(bytes, start, start + length);
    }

    /** The number of items in an array's next block, each of at least {@code itemBytes}; 0 at its end. */
    public int readBlock(int itemBytes) {
        long count = readLong();
        if (count < 0) {
            count = -count;
            readLong();
        }
        if (count < 0 || count > (end - position) / itemBytes) {
            throw new MalformedException("a block of " + count + " items");
        }
        return (int) count;
    }

    private int readLength() {
        long length = readLong();
        if (length < 0 || length > end - position) {
            throw new MalformedException(length + " bytes where " + (end - position) + " are left");
        }
        return (int) length;
    }

    private int take(int count) {
        int start = position;
        if (count > end - start) {
            throw new MalformedException("the bytes end early");
        }
        position += count;
        return start;
    }
}
