package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.RowUtils;

/** Rows, as records with the names of their fields. */
final class RowCodec implements ValueCodec {
    private final String where;
    private final String[] names;
    private final int[] places;
    private final ValueCodec[] values;
    private final LinkedHashMap<String, Integer> positionByName = new LinkedHashMap<>();

    RowCodec(RowTypeInfo row, Schema schema, String where) {
        this.where = where;
        this.names = row.getFieldNames();
        this.places = Codecs.match(Arrays.asList(names), schema, where);
        this.values = new ValueCodec[places.length];
        for (int i = 0; i < places.length; i++) {
            Schema field = schema.getFields().get(i).schema();
            values[i] = Codecs.of(row.getTypeAt(places[i]), field, where + "." + names[places[i]]);
        }
        for (int i = 0; i < names.length; i++) {
            positionByName.put(names[i], i);
        }
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        Row row = (Row) value;
        if (row.getKind() != RowKind.INSERT) {
            throw new RefusedException(where, "a row of kind " + row.getKind());
        }
        Set<String> named = row.getFieldNames(false);
        if (named == null && row.getArity() != names.length) {
            throw new RefusedException(
                    where, "a row of " + row.getArity() + " fields where " + names.length + " are declared");
        } else if (named != null && !positionByName.keySet().containsAll(named)) {
            throw new RefusedException(
                    where, "a row of " + named + " where " + positionByName.keySet() + " are declared");
        }
        for (int i = 0; i < values.length; i++) {
            values[i].encode(field(row, named, places[i]), out);
        }
    }

    private Object field(Row row, Set<String> named, int place) {
        if (named == null) {
            return row.getField(place);
        }
        return named.contains(names[place]) ? row.getField(names[place]) : null;
    }

    @Override
    public Object decode(AvroInput in) {
        Object[] fields = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            fields[places[i]] = values[i].decode(in);
        }
        // As Flink's own serializer makes it: fields are found by place and by name.
        return RowUtils.createRowWithNamedPositions(RowKind.INSERT, fields, positionByName);
    }
}
