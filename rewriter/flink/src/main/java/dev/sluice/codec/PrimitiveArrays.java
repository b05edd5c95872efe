package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.lang.reflect.Array;
import org.apache.avro.Schema;

/** Arrays of primitives other than bytes. */
final class PrimitiveArrays implements ValueCodec {
    private final Class<?> component;
    private final ValueCodec elements;

    private PrimitiveArrays(Class<?> component, ValueCodec elements) {
        this.component = component;
        this.elements = elements;
    }

    static ValueCodec of(Class<?> component, Schema items, String where) {
        // What an array of primitives holds is given out boxed.
        Class<?> boxed = Array.get(Array.newInstance(component, 1), 0).getClass();
        return new PrimitiveArrays(component, Scalars.of(boxed, items, where));
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        int length = Array.getLength(value);
        if (length > 0) {
            out.writeLong(length);
            for (int i = 0; i < length; i++) {
                elements.encode(Array.get(value, i), out);
            }
        }
        out.writeLong(0);
    }

    @Override
    public Object decode(AvroInput in) {
        int count = in.readBlock(1);
        Object array = Array.newInstance(component, count);
        int at = 0;
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                Array.set(array, at++, elements.decode(in));
            }
            count = in.readBlock(1);
            if (count > 0) {
                Object longer = Array.newInstance(component, at + count);
                System.arraycopy(array, 0, longer, 0, at);
                array = longer;
            }
        }
        return array;
    }
}
