package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.function.IntFunction;

/** Lists and sets; read back as the classes that Flink's serializers make, so that they have the same order. */
record CollectionCodec(ValueCodec elements, IntFunction<Collection<Object>> make) implements ValueCodec {
    static ValueCodec list(ValueCodec elements) {
        return new CollectionCodec(elements, ArrayList::new);
    }

    static ValueCodec set(ValueCodec elements) {
        return new CollectionCodec(elements, HashSet::new);
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        Collection<?> collection = (Collection<?>) value;
        if (!collection.isEmpty()) {
            out.writeLong(collection.size());
            for (Object element : collection) {
                elements.encode(element, out);
            }
        }
        out.writeLong(0);
    }

    @Override
    public Object decode(AvroInput in) {
        int count = in.readBlock(1);
        Collection<Object> collection = make.apply(count);
        for (; count > 0; count = in.readBlock(1)) {
            for (int i = 0; i < count; i++) {
                collection.add(elements.decode(in));
            }
        }
        return collection;
    }
}
