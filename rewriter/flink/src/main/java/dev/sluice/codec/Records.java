package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoField;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;

/** POJOs, Java records and plain classes, field by field in the schema's order. */
abstract class Records implements ValueCodec {
    private final Class<?> type;
    private final String where;
    final FieldCodec[] fields;
    final Constructor<?> constructor;

    private Records(Class<?> type, String where, FieldCodec[] fields, Constructor<?> constructor) {
        this.type = type;
        this.where = where;
        this.fields = fields;
        this.constructor = constructor;
    }

    private static Constructor<?> constructor(Class<?> type, String where, Class<?>... parameters) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    where + ": " + type.getName() + " has no constructor to make it with", e);
        }
    }

    /** The codec of a POJO or Java record. */
    static ValueCodec of(PojoTypeInfo<?> pojo, Schema schema, String where) {
        List<String> names = Arrays.asList(pojo.getFieldNames());
        int[] places = Codecs.match(names, schema, where);
        FieldCodec[] fields = new FieldCodec[places.length];
        for (int i = 0; i < places.length; i++) {
            PojoField field = pojo.getPojoFieldAt(places[i]);
            String at = where + "." + names.get(places[i]);
            fields[i] = FieldCodec.of(
                    field.getField(),
                    field.getTypeInformation(),
                    schema.getFields().get(i).schema(),
                    at);
        }
        Class<?> type = pojo.getTypeClass();
        return type.isRecord() ? new JavaRecord(type, where, fields, pojo, schema) : new Pojo(type, where, fields);
    }

    /** The codec of a class that Flink leaves to Kryo. */
    static ValueCodec of(GenericTypeInfo<?> type, Schema schema, String where) {
        List<Field> known = PlainClass.fields(type.getTypeClass())
                .orElseThrow(() -> new IllegalArgumentException(where + " is " + type + ", its schema has fields"));
        int[] places = Codecs.match(known.stream().map(Field::getName).toList(), schema, where);
        FieldCodec[] fields = new FieldCodec[places.length];
        for (int i = 0; i < places.length; i++) {
            Field field = known.get(places[i]);
            Schema written = schema.getFields().get(i).schema();
            fields[i] = FieldCodec.of(field, PlainClass.typeOf(field), written, where + "." + field.getName());
        }
        return new Plain(type, where, fields);
    }

    @Override
    public final void encode(Object value, AvroOutput out) {
        if (value.getClass() != type) {
            throw new RefusedException(
                    where, "a " + value.getClass().getName() + " where the type is declared as " + type.getName());
        }
        try {
            for (FieldCodec field : fields) {
                field.encode(value, out);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(where, e);
        }
    }

    final Object make(Object... arguments) throws IllegalAccessException {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException | InstantiationException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new RefusedException(where, "the constructor of " + type.getName() + " failed: " + cause);
        }
    }

    private static final class Pojo extends Records {
        private static final Object[] NONE = new Object[0];

        private final String where;

        Pojo(Class<?> type, String where, FieldCodec[] fields) {
            super(type, where, fields, constructor(type, where));
            this.where = where;
        }

        @Override
        public Object decode(AvroInput in) {
            try {
                Object record = make(NONE);
                for (FieldCodec field : fields) {
                    field.decode(record, in);
                }
                return record;
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(where, e);
            }
        }
    }

    /** Made as Flink's serializer makes it: a class for Kryo need not have a constructor without parameters. */
    private static final class Plain extends Records {
        private final TypeSerializer<?> maker;
        private final String where;

        Plain(GenericTypeInfo<?> type, String where, FieldCodec[] fields) {
            super(type.getTypeClass(), where, fields, null);
            this.maker = type.createSerializer(new ExecutionConfig().getSerializerConfig());
            this.where = where;
        }

        @Override
        public Object decode(AvroInput in) {
            try {
                Object made = maker.createInstance();
                for (FieldCodec field : fields) {
                    field.decode(made, in);
                }
                return made;
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(where, e);
            }
        }
    }

    /** Made by its canonical constructor, since its fields can't be set. */
    private static final class JavaRecord extends Records {
        private final String where;
        private final ValueCodec[] values;
        /** Of each of the schema's fields, its place among the constructor's parameters. */
        private final int[] parameters;
        /** What the constructor gets for components that are no field of the type. */
        private final Object[] defaults;

        JavaRecord(Class<?> type, String where, FieldCodec[] fields, PojoTypeInfo<?> pojo, Schema schema) {
            super(type, where, fields, constructor(type, where, parameterTypes(type)));
            this.where = where;
            this.values = new ValueCodec[fields.length];
            this.parameters = new int[fields.length];
            RecordComponent[] components = type.getRecordComponents();
            List<String> names = new ArrayList<>();
            this.defaults = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                names.add(components[i].getName());
                // A new array holds the default value of its type.
                defaults[i] = Array.get(Array.newInstance(components[i].getType(), 1), 0);
            }
            for (int i = 0; i < fields.length; i++) {
                String name = fields[i].field.getName();
                parameters[i] = names.indexOf(name);
                values[i] = Codecs.of(
                        pojo.getPojoFieldAt(pojo.getFieldIndex(name)).getTypeInformation(),
                        schema.getFields().get(i).schema(),
                        where + "." + name);
            }
        }

        private static Class<?>[] parameterTypes(Class<?> type) {
            return Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
        }

        @Override
        public Object decode(AvroInput in) {
            Object[] arguments = defaults.clone();
            for (int i = 0; i < values.length; i++) {
                arguments[parameters[i]] = values[i].decode(in);
            }
            try {
                return make(arguments);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(where, e);
            }
        }
    }
}
