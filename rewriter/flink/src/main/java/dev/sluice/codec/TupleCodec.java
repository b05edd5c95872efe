package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.tuple.Tuple0;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;

/** Tuples, as records with the fields {@code f0}, {@code f1}, ... */
final class TupleCodec implements ValueCodec {
    private final Class<? extends Tuple> type;
    private final String where;
    private final int[] places;
    private final ValueCodec[] values;

    TupleCodec(TupleTypeInfo<?> tuple, Schema schema, String where) {
        this.type = tuple.getTypeClass();
        this.where = where;
        this.places = Codecs.match(Arrays.asList(tuple.getFieldNames()), schema, where);
        this.values = new ValueCodec[places.length];
        for (int i = 0; i < places.length; i++) {
            Schema field = schema.getFields().get(i).schema();
            values[i] = Codecs.of(tuple.getTypeAt(places[i]), field, where + ".f" + places[i]);
        }
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        Tuple tuple = (Tuple) value;
        if (tuple.getArity() != places.length) {
            throw new RefusedException(
                    where, "a tuple of " + tuple.getArity() + " where " + places.length + " are declared");
        }
        for (int i = 0; i < values.length; i++) {
            values[i].encode(tuple.getField(places[i]), out);
        }
    }

    @Override
    public Object decode(AvroInput in) {
        Tuple tuple = make();
        for (int i = 0; i < values.length; i++) {
            tuple.setField(values[i].decode(in), places[i]);
        }
        return tuple;
    }

    private Tuple make() {
        if (type == Tuple0.class) {
            return Tuple0.INSTANCE;
        }
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new RefusedException(where, "the constructor of " + type.getName() + " failed: " + e);
        }
    }
}
