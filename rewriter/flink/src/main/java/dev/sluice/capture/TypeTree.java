package dev.sluice.capture;

import dev.sluice.codec.PlainClass;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
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

/** A Flink type as a tree of names. Only Flink's own classes of types are looked into: a subclass may serialize otherwise. */
final class TypeTree {
    private static final String SET = "org.apache.flink.api.java.typeutils.SetTypeInfo";
    private static final String NULLABLE = "org.apache.flink.api.java.typeutils.Nullable";

    private TypeTree() {}

    /** The tree of a type. */
    static Map<String, Object> of(TypeInformation<?> type) {
        Class<?> kind = type.getClass();
        if (type instanceof BasicTypeInfo<?>) {
            return named("basic", type);
        } else if (kind == PrimitiveArrayTypeInfo.class) {
            return named("primitive_array", type);
        } else if (kind == BasicArrayTypeInfo.class) {
            return named("basic_array", type);
        } else if (type instanceof ObjectArrayTypeInfo<?, ?> array) {
            return parts("object_array", "element", of(array.getComponentInfo()));
        } else if (kind == TupleTypeInfo.class) {
            return tuple((TupleTypeInfo<?>) type);
        } else if (kind == PojoTypeInfo.class) {
            return pojo((PojoTypeInfo<?>) type);
        } else if (kind == RowTypeInfo.class) {
            return row((RowTypeInfo) type);
        } else if (type instanceof EnumTypeInfo<?>) {
            Map<String, Object> tree = named("enum", type);
            tree.put(
                    "symbols",
                    Arrays.stream(type.getTypeClass().getEnumConstants())
                            .map(symbol -> ((Enum<?>) symbol).name())
                            .toList());
            return tree;
        } else if (kind == ListTypeInfo.class) {
            return parts("list", "element", of(((ListTypeInfo<?>) type).getElementTypeInfo()));
        } else if (kind == MapTypeInfo.class) {
            MapTypeInfo<?, ?> map = (MapTypeInfo<?, ?>) type;
            Map<String, Object> tree = parts("map", "key", of(map.getKeyTypeInfo()));
            tree.put("value", of(map.getValueTypeInfo()));
            return tree;
        } else if (type instanceof GenericTypeInfo<?>) {
            return generic((GenericTypeInfo<?>) type);
        }
        return byName(type);
    }

    /** Those that not every version of Flink has. */
    private static Map<String, Object> byName(TypeInformation<?> type) {
        String name = type.getClass().getName();
        boolean nullable = name.startsWith(NULLABLE);
        if (name.equals(SET) || name.equals(NULLABLE + "SetTypeInfo") || name.equals(NULLABLE + "ListTypeInfo")) {
            Object element = Fields.get(type, "elementTypeInfo");
            if (element instanceof TypeInformation<?> of) {
                return parts(name.endsWith("ListTypeInfo") ? "list" : "set", "element", of(of));
            }
        } else if (nullable && name.endsWith("MapTypeInfo")) {
            Object key = Fields.get(type, "keyTypeInfo");
            Object value = Fields.get(type, "valueTypeInfo");
            if (key instanceof TypeInformation<?> ofKey && value instanceof TypeInformation<?> ofValue) {
                Map<String, Object> tree = parts("map", "key", of(ofKey));
                tree.put("value", of(ofValue));
                return tree;
            }
        }
        return named("other", type);
    }

    private static Map<String, Object> tuple(TupleTypeInfo<?> tuple) {
        List<Object> fields = new ArrayList<>();
        for (int i = 0; i < tuple.getArity(); i++) {
            fields.add(of(tuple.getTypeAt(i)));
        }
        Map<String, Object> tree = named("tuple", tuple);
        tree.put("fields", fields);
        return tree;
    }

    private static Map<String, Object> generic(GenericTypeInfo<?> generic) {
        Map<String, Object> tree = named("generic", generic);
        Class<?> type = generic.getTypeClass();
        PlainClass.fields(type).filter(known -> !PlainClass.hasSubclass(type)).ifPresent(known -> {
            List<Object> fields = new ArrayList<>();
            for (Field field : known) {
                fields.add(field(field, PlainClass.typeOf(field)));
            }
            tree.put("fields", fields);
        });
        return tree;
    }

    private static Map<String, Object> field(Field field, TypeInformation<?> type) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("name", field.getName());
        tree.put("type", of(type));
        tree.put("primitive", field.getType().isPrimitive());
        return tree;
    }

    private static Map<String, Object> pojo(PojoTypeInfo<?> pojo) {
        List<Object> fields = new ArrayList<>();
        for (int i = 0; i < pojo.getArity(); i++) {
            fields.add(field(
                    pojo.getPojoFieldAt(i).getField(), pojo.getPojoFieldAt(i).getTypeInformation()));
        }
        Map<String, Object> tree = named("pojo", pojo);
        tree.put("record", pojo.getTypeClass().isRecord());
        tree.put("fields", fields);
        return tree;
    }

    private static Map<String, Object> row(RowTypeInfo row) {
        List<Object> fields = new ArrayList<>();
        for (int i = 0; i < row.getArity(); i++) {
            Map<String, Object> tree = new LinkedHashMap<>();
            tree.put("name", row.getFieldNames()[i]);
            tree.put("type", of(row.getTypeAt(i)));
            fields.add(tree);
        }
        return parts("row", "fields", fields);
    }

    private static Map<String, Object> named(String kind, TypeInformation<?> type) {
        return parts(kind, "class", type.getTypeClass().getName());
    }

    private static Map<String, Object> parts(String kind, String name, Object value) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("kind", kind);
        tree.put(name, value);
        return tree;
    }
}
