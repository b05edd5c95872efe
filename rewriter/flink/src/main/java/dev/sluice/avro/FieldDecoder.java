package dev.sluice.avro;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import org.apache.avro.Schema;

/** Reads a value and puts it into a field; primitives are not boxed on the way. */
@FunctionalInterface
interface FieldDecoder {
    void readInto(Object record, AvroInput in) throws Throwable;

    /** The decoder of a field, {@code value} being that of its values. */
    static FieldDecoder of(Field field, Schema.Type schema, ValueDecoder value) {
        MethodHandle setter;
        try {
            setter = MethodHandles.publicLookup().unreflectSetter(field);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(field + " can't be set: is its class public?", e);
        }
        Class<?> type = field.getType();
        MethodHandle set =
                setter.asType(methodType(void.class, Object.class, type.isPrimitive() ? type : Object.class));
        if (!type.isPrimitive()) {
            return (record, in) -> {
                set.invokeExact(record, value.read(in));
            };
        }
        return switch (schema) {
            case INT -> (record, in) -> {
                set.invokeExact(record, in.readInt());
            };
            case LONG -> (record, in) -> {
                set.invokeExact(record, in.readLong());
            };
            case FLOAT -> (record, in) -> {
                set.invokeExact(record, in.readFloat());
            };
            case DOUBLE -> (record, in) -> {
                set.invokeExact(record, in.readDouble());
            };
            case BOOLEAN -> (record, in) -> {
                set.invokeExact(record, in.readBoolean());
            };
            default -> throw new IllegalArgumentException(field + " can't hold " + schema);
        };
    }
}
