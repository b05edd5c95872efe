package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.lang.reflect.Field;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** A field of an object; primitives are not boxed on the way. */
abstract class FieldCodec {
    final Field field;

    private FieldCodec(Field field) {
        field.setAccessible(true);
        this.field = field;
    }

    /** Appends the field's value. */
    abstract void encode(Object record, AvroOutput out) throws IllegalAccessException;

    /** Reads a value into the field. */
    abstract void decode(Object record, AvroInput in) throws IllegalAccessException;

    /** The codec of a field. */
    static FieldCodec of(Field field, TypeInformation<?> type, Schema schema, String where) {
        Class<?> raw = field.getType();
        if (!raw.isPrimitive()) {
            return new OfObjects(field, Codecs.of(type, schema, where));
        }
        if (schema.getType() == Schema.Type.UNION) {
            throw new IllegalArgumentException(where + " can't be null, but its schema can");
        }
        Scalars.of(type.getTypeClass(), schema, where);
        if (raw == int.class) {
            return new OfInts(field);
        } else if (raw == long.class) {
            return new OfLongs(field);
        } else if (raw == double.class) {
            return new OfDoubles(field);
        }
        return new OfOthers(field);
    }

    private static final class OfObjects extends FieldCodec {
        private final ValueCodec values;

        OfObjects(Field field, ValueCodec values) {
            super(field);
            this.values = values;
        }

        @Override
        void encode(Object record, AvroOutput out) throws IllegalAccessException {
            values.encode(field.get(record), out);
        }

        @Override
        void decode(Object record, AvroInput in) throws IllegalAccessException {
            field.set(record, values.decode(in));
        }
    }

    private static final class OfInts extends FieldCodec {
        OfInts(Field field) {
            super(field);
        }

        @Override
        void encode(Object record, AvroOutput out) throws IllegalAccessException {
            out.writeInt(field.getInt(record));
        }

        @Override
        void decode(Object record, AvroInput in) throws IllegalAccessException {
            field.setInt(record, in.readInt());
        }
    }

    private static final class OfLongs extends FieldCodec {
        OfLongs(Field field) {
            super(field);
        }

        @Override
        void encode(Object record, AvroOutput out) throws IllegalAccessException {
            out.writeLong(field.getLong(record));
        }

        @Override
        void decode(Object record, AvroInput in) throws IllegalAccessException {
            field.setLong(record, in.readLong());
        }
    }

    private static final class OfDoubles extends FieldCodec {
        OfDoubles(Field field) {
            super(field);
        }

        @Override
        void encode(Object record, AvroOutput out) throws IllegalAccessException {
            out.writeDouble(field.getDouble(record));
        }

        @Override
        void decode(Object record, AvroInput in) throws IllegalAccessException {
            field.setDouble(record, in.readDouble());
        }
    }

    /** Of the primitives that are rare in events. */
    private static final class OfOthers extends FieldCodec {
        private final Class<?> type;

        OfOthers(Field field) {
            super(field);
            this.type = field.getType();
        }

        @Override
        void encode(Object record, AvroOutput out) throws IllegalAccessException {
            if (type == boolean.class) {
                out.writeBoolean(field.getBoolean(record));
            } else if (type == float.class) {
                out.writeFloat(field.getFloat(record));
            } else if (type == char.class) {
                out.writeInt(field.getChar(record));
            } else {
                out.writeInt(field.getInt(record));
            }
        }

        @Override
        void decode(Object record, AvroInput in) throws IllegalAccessException {
            if (type == boolean.class) {
                field.setBoolean(record, in.readBoolean());
            } else if (type == float.class) {
                field.setFloat(record, in.readFloat());
            } else if (type == char.class) {
                field.setChar(record, Scalars.readChar(in));
            } else if (type == short.class) {
                field.setShort(record, Scalars.readShort(in));
            } else {
                field.setByte(record, Scalars.readByte(in));
            }
        }
    }
}
