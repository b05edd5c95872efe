package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;

/** A value that can't be null. */
record Required(ValueCodec present, String where) implements ValueCodec {
    @Override
    public void encode(Object value, AvroOutput out) {
        if (value == null) {
            throw new RefusedException(where, "null, which its schema does not have");
        }
        present.encode(value, out);
    }

    @Override
    public Object decode(AvroInput in) {
        return present.decode(in);
    }
}
