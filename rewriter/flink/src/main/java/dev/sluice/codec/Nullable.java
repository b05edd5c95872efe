package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;

/** A value that can be null: a union. */
record Nullable(ValueCodec present, int nullIndex) implements ValueCodec {
    @Override
    public void encode(Object value, AvroOutput out) {
        if (value == null) {
            out.writeInt(nullIndex);
        } else {
            out.writeInt(1 - nullIndex);
            present.encode(value, out);
        }
    }

    @Override
    public Object decode(AvroInput in) {
        return in.readIndex(2) == nullIndex ? null : present.decode(in);
    }
}
