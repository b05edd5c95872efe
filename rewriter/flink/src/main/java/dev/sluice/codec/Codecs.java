package dev.sluice.codec;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.EnumTypeInfo;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.api.java.typeutils.MapTypeInfo;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;

/** Walks a type and its schema side by side and makes the codec of each part. */
final class Codecs {
    /** Of Flink 2; sets are opaque in Flink 1.20. */
    private static final String SET_TYPE = "org.apache.flink.api.java.typeutils.SetTypeInfo";

    private Codecs() {}

    /** The codec of a value that may be null where its schema says so. */
    static ValueCodec of(TypeInformation<?> type, Schema schema, String where) {
        if (schema.getType() == Schema.Type.UNION) {
            return new Nullable(present(type, branch(schema, where), where), nullIndex(schema));
        }
        return new Required(present(type, schema, where), where);
    }

    /** The other branch of a union with null. */
    private static Schema branch(Schema union, String where) {
        List<Schema> branches = union.getTypes();
        if (branches.size() != 2 || branches.stream().noneMatch(b -> b.getType() == Schema.Type.NULL)) {
            throw new IllegalArgumentException(where + ": a union must be of null and one other");
        }
        return branches.get(1 - nullIndex(union));
    }

    private static int nullIndex(Schema union) {
        return union.getTypes().get(0).getType() == Schema.Type.NULL ? 0 : 1;
    }

    /** The codec of a value that is not null. */
    private static ValueCodec present(TypeInformation<?> type, Schema schema, String where) {
        boolean opaque = schema.getType() == Schema.Type.BYTES
                && !PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.equals(type);
        if (opaque) {
            return new SerializerCodec(type, where);
        }
        if (Scalars.has(type.getTypeClass())) {
            return Scalars.of(type.getTypeClass(), schema, where);
        }
        if (type instanceof PojoTypeInfo<?> pojo) {
            return Records.of(pojo, expect(schema, Schema.Type.RECORD, where), where);
        }
        if (type instanceof GenericTypeInfo<?> plain) {
            return Records.of(plain, expect(schema, Schema.Type.RECORD, where), where);
        }
        if (type instanceof RowTypeInfo row) {
            return new RowCodec(row, expect(schema, Schema.Type.RECORD, where), where);
        }
        if (type instanceof TupleTypeInfo<?> tuple) {
            return new TupleCodec(tuple, expect(schema, Schema.Type.RECORD, where), where);
        }
        if (type instanceof EnumTypeInfo<?>) {
            return new EnumCodec(type.getTypeClass(), expect(schema, Schema.Type.ENUM, where), where);
        }
        return collection(type, schema, where);
    }

    private static ValueCodec collection(TypeInformation<?> type, Schema schema, String where) {
        String element = where + "[]";
        if (type instanceof MapTypeInfo<?, ?> map) {
            return MapCodec.of(map.getKeyTypeInfo(), map.getValueTypeInfo(), schema, where);
        }
        if (type instanceof ListTypeInfo<?> list) {
            Schema items = expect(schema, Schema.Type.ARRAY, where).getElementType();
            return CollectionCodec.list(of(list.getElementTypeInfo(), items, element));
        }
        if (isSet(type.getClass())) {
            Schema items = expect(schema, Schema.Type.ARRAY, where).getElementType();
            return CollectionCodec.set(of(type.getGenericParameters().get("T"), items, element));
        }
        if (type instanceof ObjectArrayTypeInfo<?, ?> array) {
            Schema items = expect(schema, Schema.Type.ARRAY, where).getElementType();
            Class<?> component = array.getComponentInfo().getTypeClass();
            return new ArrayCodec(component, of(array.getComponentInfo(), items, element));
        }
        if (type instanceof BasicArrayTypeInfo<?, ?> array) {
            Schema items = expect(schema, Schema.Type.ARRAY, where).getElementType();
            return new ArrayCodec(array.getComponentTypeClass(), of(array.getComponentInfo(), items, element));
        }
        if (type instanceof PrimitiveArrayTypeInfo<?> array) {
            Schema items = expect(schema, Schema.Type.ARRAY, where).getElementType();
            return PrimitiveArrays.of(array.getComponentClass(), items, element);
        }
        throw mismatch(schema, where, type.toString());
    }

    private static boolean isSet(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals(SET_TYPE)) {
                return true;
            }
        }
        return false;
    }

    static Schema expect(Schema schema, Schema.Type type, String where) {
        if (schema.getType() != type) {
            throw mismatch(schema, where, "a type that needs " + type.getName());
        }
        return schema;
    }

    /** Two types that do not fit. */
    static IllegalArgumentException mismatch(Schema schema, String where, String type) {
        return new IllegalArgumentException(
                where + " is " + type + ", its schema says " + schema.getType().getName());
    }

    /** The schema's fields must be the type's, in any order; this is the place in the type of each. */
    static int[] match(List<String> fields, Schema schema, String where) {
        for (String name : fields) {
            if (schema.getField(name) == null) {
                throw new IllegalArgumentException(where + "." + name + " is not in the schema");
            }
        }
        return schema.getFields().stream()
                .mapToInt(field -> {
                    int place = fields.indexOf(field.name());
                    if (place < 0) {
                        throw new IllegalArgumentException(
                                where + "." + field.name() + " is in the schema, but not in the type");
                    }
                    return place;
                })
                .toArray();
    }
}
