package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.CollectionUtil;

/** Maps: with text keys as Avro's maps, with others as arrays of records {@code key}, {@code value}. */
record MapCodec(ValueCodec keys, ValueCodec values) implements ValueCodec {
    static ValueCodec of(TypeInformation<?> key, TypeInformation<?> value, Schema schema, String where) {
        String atKey = where + ".key";
        String atValue = where + ".value";
        if (schema.getType() == Schema.Type.MAP) {
            if (!BasicTypeInfo.STRING_TYPE_INFO.equals(key)) {
                throw new IllegalArgumentException(atKey + " is " + key + ", its schema says string");
            }
            ValueCodec keys = Codecs.of(key, Schema.create(Schema.Type.STRING), atKey);
            return new MapCodec(keys, Codecs.of(value, schema.getValueType(), atValue));
        }
        Schema entry = Codecs.expect(schema, Schema.Type.ARRAY, where).getElementType();
        boolean fits = entry.getType() == Schema.Type.RECORD
                && entry.getFields().size() == 2
                && entry.getFields().get(0).name().equals("key")
                && entry.getFields().get(1).name().equals("value");
        if (!fits) {
            throw new IllegalArgumentException(where + ": the elements of its schema are no record of key and value");
        }
        return new MapCodec(
                Codecs.of(key, entry.getField("key").schema(), atKey),
                Codecs.of(value, entry.getField("value").schema(), atValue));
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        Map<?, ?> map = (Map<?, ?>) value;
        if (!map.isEmpty()) {
            out.writeLong(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                keys.encode(entry.getKey(), out);
                values.encode(entry.getValue(), out);
            }
        }
        out.writeLong(0);
    }

    @Override
    public Object decode(AvroInput in) {
        int count = in.readBlock(1);
        // As Flink's own serializer makes it, so that it has the same order.
        Map<Object, Object> map = CollectionUtil.newHashMapWithExpectedSize(count);
        for (; count > 0; count = in.readBlock(1)) {
            for (int i = 0; i < count; i++) {
                map.put(keys.decode(in), values.decode(in));
            }
        }
        return map;
    }
}
