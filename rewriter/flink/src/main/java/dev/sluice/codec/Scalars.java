package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import dev.sluice.avro.MalformedException;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.avro.Schema;

/** Numbers, texts and bytes. */
final class Scalars {
    private record Scalar(Schema.Type schema, BiConsumer<Object, AvroOutput> writer, Function<AvroInput, Object> reader)
            implements ValueCodec {
        @Override
        public void encode(Object value, AvroOutput out) {
            writer.accept(value, out);
        }

        @Override
        public Object decode(AvroInput in) {
            return reader.apply(in);
        }
    }

    private static final Map<Class<?>, Scalar> BY_CLASS = Map.ofEntries(
            entry(
                    Boolean.class,
                    Schema.Type.BOOLEAN,
                    (v, out) -> out.writeBoolean((Boolean) v),
                    AvroInput::readBoolean),
            entry(Byte.class, Schema.Type.INT, (v, out) -> out.writeInt((Byte) v), Scalars::readByte),
            entry(Short.class, Schema.Type.INT, (v, out) -> out.writeInt((Short) v), Scalars::readShort),
            entry(Character.class, Schema.Type.INT, (v, out) -> out.writeInt((Character) v), Scalars::readChar),
            entry(Integer.class, Schema.Type.INT, (v, out) -> out.writeInt((Integer) v), AvroInput::readInt),
            entry(Long.class, Schema.Type.LONG, (v, out) -> out.writeLong((Long) v), AvroInput::readLong),
            entry(Float.class, Schema.Type.FLOAT, (v, out) -> out.writeFloat((Float) v), AvroInput::readFloat),
            entry(Double.class, Schema.Type.DOUBLE, (v, out) -> out.writeDouble((Double) v), AvroInput::readDouble),
            entry(byte[].class, Schema.Type.BYTES, (v, out) -> out.writeBytes((byte[]) v), AvroInput::readBytes));

    private Scalars() {}

    private static Map.Entry<Class<?>, Scalar> entry(
            Class<?> type,
            Schema.Type schema,
            BiConsumer<Object, AvroOutput> writer,
            Function<AvroInput, Object> reader) {
        return Map.entry(type, new Scalar(schema, writer, reader));
    }

    /** Whether values of the class are scalars. */
    static boolean has(Class<?> type) {
        return type == String.class || BY_CLASS.containsKey(type);
    }

    /** The codec of a class of scalars. */
    static ValueCodec of(Class<?> type, Schema schema, String where) {
        Schema.Type expected = type == String.class ? Schema.Type.STRING : BY_CLASS.get(type).schema;
        if (schema.getType() != expected) {
            throw Codecs.mismatch(schema, where, type.getName());
        }
        return type == String.class ? new Text(where) : BY_CLASS.get(type);
    }

    /** Its path says which of a record's texts can't be written. */
    private record Text(String where) implements ValueCodec {
        @Override
        public void encode(Object value, AvroOutput out) {
            try {
                out.writeString((String) value);
            } catch (MalformedException e) {
                throw new RefusedException(where, e);
            }
        }

        @Override
        public Object decode(AvroInput in) {
            return in.readString();
        }
    }

    /** A {@code byte} in an {@code int}. */
    static byte readByte(AvroInput in) {
        int value = in.readInt();
        if (value != (byte) value) {
            throw new MalformedException(value + " is no byte");
        }
        return (byte) value;
    }

    /** A {@code short} in an {@code int}. */
    static short readShort(AvroInput in) {
        int value = in.readInt();
        if (value != (short) value) {
            throw new MalformedException(value + " is no short");
        }
        return (short) value;
    }

    /** A {@code char} in an {@code int}. */
    static char readChar(AvroInput in) {
        int value = in.readInt();
        if (value != (char) value) {
            throw new MalformedException(value + " is no char");
        }
        return (char) value;
    }
}
