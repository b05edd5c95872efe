package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.lang.reflect.Array;
import java.util.Arrays;

/** Arrays of objects. */
record ArrayCodec(Class<?> component, ValueCodec elements) implements ValueCodec {
    @Override
    public void encode(Object value, AvroOutput out) {
        Object[] array = (Object[]) value;
        if (array.length > 0) {
            out.writeLong(array.length);
            for (Object element : array) {
                elements.encode(element, out);
            }
        }
        out.writeLong(0);
    }

    @Override
    public Object decode(AvroInput in) {
        int count = in.readBlock(1);
        Object[] array = (Object[]) Array.newInstance(component, count);
        int at = 0;
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                array[at++] = elements.decode(in);
            }
            count = in.readBlock(1);
            if (count > 0) {
                array = Arrays.copyOf(array, at + count);
            }
        }
        return array;
    }
}
