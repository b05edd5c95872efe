package dev.sluice.avro;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;

/**
 * Decoders from an Avro schema to the user's class. A record becomes an object of a class with a public constructor without
 * arguments and one public field for each of the schema's fields, of the same name; other schemas become the Java type that
 * goes by their name. {@code ["null", T]} may be null, and needs a field that can be.
 */
public final class ValueDecoders {
    private ValueDecoders() {}

    /** The decoder of {@code schema} to {@code type}; an {@link IllegalArgumentException} says why there can't be one. */
    public static ValueDecoder of(Schema schema, Class<?> type) {
        return of(schema, type, type.getName());
    }

    private static ValueDecoder of(Schema schema, Class<?> type, String where) {
        return switch (schema.getType()) {
            case STRING -> checked(where, type, AvroInput::readString, String.class, CharSequence.class);
            case INT -> checked(where, type, AvroInput::readInt, int.class, Integer.class);
            case LONG -> checked(where, type, AvroInput::readLong, long.class, Long.class);
            case FLOAT -> checked(where, type, AvroInput::readFloat, float.class, Float.class);
            case DOUBLE -> checked(where, type, AvroInput::readDouble, double.class, Double.class);
            case BOOLEAN -> checked(where, type, AvroInput::readBoolean, boolean.class, Boolean.class);
            case BYTES -> checked(where, type, AvroInput::readBytes, byte[].class);
            case UNION -> nullable(schema, type, where);
            case RECORD -> record(schema, type, where);
            default -> throw new IllegalArgumentException(where + ": " + schema.getType() + " is not supported");
        };
    }

    private static ValueDecoder checked(String where, Class<?> type, ValueDecoder decoder, Class<?>... allowed) {
        if (!List.of(allowed).contains(type)) {
            throw new IllegalArgumentException(
                    where + " is " + type.getName() + ", its schema needs " + allowed[0].getName());
        }
        return decoder;
    }

    private static ValueDecoder nullable(Schema union, Class<?> type, String where) {
        List<Schema> branches = union.getTypes();
        boolean nullFirst = branches.get(0).getType() == Schema.Type.NULL;
        if (branches.size() != 2 || nullFirst == (branches.get(1).getType() == Schema.Type.NULL)) {
            throw new IllegalArgumentException(where + ": a union must be of null and one other");
        }
        if (type.isPrimitive()) {
            throw new IllegalArgumentException(where + " can't be null, but its schema can");
        }
        ValueDecoder value = of(branches.get(nullFirst ? 1 : 0), type, where);
        int present = nullFirst ? 1 : 0;
        return in -> in.readIndex(2) == present ? value.read(in) : null;
    }

    private static ValueDecoder record(Schema schema, Class<?> type, String where) {
        List<FieldDecoder> fields = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (Schema.Field field : schema.getFields()) {
            known.add(field.name());
            String at = where + "." + field.name();
            Field target = target(type, field.name(), at);
            fields.add(FieldDecoder.of(target, schemaOf(field), of(field.schema(), target.getType(), at)));
        }
        for (Field field : type.getFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !known.contains(field.getName())) {
                throw new IllegalArgumentException(where + "." + field.getName() + " is not in the schema");
            }
        }
        return new RecordDecoder(type, fields.toArray(new FieldDecoder[0]));
    }

    private static Schema.Type schemaOf(Schema.Field field) {
        return field.schema().getType();
    }

    private static Field target(Class<?> type, String name, String where) {
        try {
            Field field = type.getField(name);
            if (Modifier.isStatic(field.getModifiers()) || Modifier.isFinal(field.getModifiers())) {
                throw new IllegalArgumentException(where + " can't be set");
            }
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalArgumentException(where + " is in the schema, but not a public field of the class", e);
        }
    }
}
