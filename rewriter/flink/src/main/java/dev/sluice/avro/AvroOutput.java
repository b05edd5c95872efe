package dev.sluice.avro;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Writes Avro's binary encoding into an array that grows and is used again and again. */
public final class AvroOutput {
    private static final VarHandle LITTLE_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int MAX_VARINT_BYTES = 10;
    /** Of a {@code char} in UTF-8; a surrogate pair has two chars and four bytes. */
    private static final int MAX_CHAR_BYTES = 3;

    private byte[] bytes;
    private int position;

    /** An empty output with room for so many bytes. */
    public AvroOutput(int capacity) {
        this.bytes = new byte[Math.max(capacity, 16)];
    }

    /** The array that is written to; another one after the next write. */
    public byte[] array() {
        return bytes;
    }

    /** How much was written. */
    public int position() {
        return position;
    }

    /** Forgets what was written behind {@code position}. */
    public void rewind(int position) {
        this.position = position;
    }

    /** A copy of what was written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, position);
    }

    /** A {@code long}, and everything that is written as one. */
    public void writeLong(long value) {
        reserve(MAX_VARINT_BYTES);
        long zigzag = (value << 1) ^ (value >> 63);
        int at = position;
        while ((zigzag & ~0x7fL) != 0) {
            bytes[at++] = (byte) (zigzag | 0x80);
            zigzag >>>= 7;
        }
        bytes[at++] = (byte) zigzag;
        position = at;
    }

    /** An {@code int}, a union's branch, an enum's symbol. */
    public void writeInt(int value) {
        writeLong(value);
    }

    /** Whether the union {@code ["null", T]} has a value. */
    public void writePresent(boolean present) {
        writeByte(present ? 2 : 0);
    }

    /** A {@code boolean}. */
    public void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    private void writeByte(int value) {
        reserve(1);
        bytes[position++] = (byte) value;
    }

    /** A {@code float}. */
    public void writeFloat(float value) {
        reserve(Float.BYTES);
        LITTLE_ENDIAN_INT.set(bytes, position, Float.floatToRawIntBits(value));
        position += Float.BYTES;
    }

    /** A {@code double}. */
    public void writeDouble(double value) {
        reserve(Double.BYTES);
        LITTLE_ENDIAN_LONG.set(bytes, position, Double.doubleToRawLongBits(value));
        position += Double.BYTES;
    }

    /** {@code bytes}. */
    public void writeBytes(byte[] value) {
        writeBytes(value, 0, value.length);
    }

    /** {@code bytes} from a part of an array. */
    public void writeBytes(byte[] value, int start, int length) {
        writeLong(length);
        writeRaw(value, start, length);
    }

    /** Bytes as they are, without a length. */
    public void writeRaw(byte[] value, int start, int length) {
        reserve(length);
        System.arraycopy(value, start, bytes, position, length);
        position += length;
    }

    /** A number of four bytes, big-endian: no Avro, but what the records around it need. */
    public void writeFixedInt(int value) {
        reserve(Integer.BYTES);
        LITTLE_ENDIAN_INT.set(bytes, position, Integer.reverseBytes(value));
        position += Integer.BYTES;
    }

    /** Puts a number of four bytes, big-endian, where one was written before. */
    public void setFixedInt(int at, int value) {
        LITTLE_ENDIAN_INT.set(bytes, at, Integer.reverseBytes(value));
    }

    /** A {@code string}; a {@link MalformedException} when it is no text, since a surrogate stands alone in it. */
    public void writeString(String value) {
        int length = value.length();
        if (length > Integer.MAX_VALUE / MAX_CHAR_BYTES - 64) {
            throw new MalformedException("a text of " + length + " characters");
        }
        int before = position;
        writeLong(length);
        reserve(length);
        int start = position;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                position = before;
                writeWide(value, i);
                return;
            }
            bytes[start + i] = (byte) c;
        }
        position = start + length;
    }

    /** A text whose first {@code ascii} characters are in ASCII, the next is not. */
    private void writeWide(String value, int ascii) {
        int length = utf8Length(value, ascii);
        writeLong(length);
        reserve(length);
        int at = position;
        for (int i = 0; i < value.length(); i++) {
            int c = value.charAt(i);
            if (c < 0x80) {
                bytes[at++] = (byte) c;
            } else if (c < 0x800) {
                bytes[at++] = (byte) (0xc0 | c >> 6);
                bytes[at++] = (byte) (0x80 | c & 0x3f);
            } else if (!Character.isSurrogate((char) c)) {
                bytes[at++] = (byte) (0xe0 | c >> 12);
                bytes[at++] = (byte) (0x80 | c >> 6 & 0x3f);
                bytes[at++] = (byte) (0x80 | c & 0x3f);
            } else {
                c = Character.toCodePoint((char) c, value.charAt(++i));
                bytes[at++] = (byte) (0xf0 | c >> 18);
                bytes[at++] = (byte) (0x80 | c >> 12 & 0x3f);
                bytes[at++] = (byte) (0x80 | c >> 6 & 0x3f);
                bytes[at++] = (byte) (0x80 | c & 0x3f);
            }
        }
        position = at;
    }

    private static int utf8Length(String value, int ascii) {
        int length = ascii;
        for (int i = ascii; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                length++;
            } else if (c < 0x800) {
                length += 2;
            } else if (!Character.isSurrogate(c)) {
                length += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                length += 4;
                i++;
            } else {
                throw new MalformedException("a lone surrogate at character " + i + " of a text");
            }
        }
        return length;
    }

    private void reserve(int count) {
        if (count > bytes.length - position) {
            int needed = Math.addExact(position, count);
            int doubled = bytes.length > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE - 8 : bytes.length * 2;
            bytes = Arrays.copyOf(bytes, Math.max(needed, doubled));
        }
    }
}
