package dev.sluice.avro;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Reads a record into a new object, field by field in the schema's order. */
final class RecordDecoder implements ValueDecoder {
    private final MethodHandle constructor;
    private final FieldDecoder[] fields;

    RecordDecoder(Class<?> type, FieldDecoder[] fields) {
        try {
            this.constructor = MethodHandles.publicLookup()
                    .findConstructor(type, methodType(void.class))
                    .asType(methodType(Object.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalArgumentException(
                    type.getName() + " must be public and have a public constructor without arguments", e);
        }
        this.fields = fields;
    }

    @Override
    public Object read(AvroInput in) {
        try {
            Object record = constructor.invokeExact();
            for (FieldDecoder field : fields) {
                field.readInto(record, in);
            }
            return record;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the constructor failed", e);
        }
    }
}
