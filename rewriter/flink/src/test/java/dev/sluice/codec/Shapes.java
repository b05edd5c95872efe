package dev.sluice.codec;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.types.Row;

/** Types of all kinds, each with the schema that docs/graph.md gives it. */
public final class Shapes {
    public enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "grün";
            }
        }
    }

    public record Point(int x, Double y, String name) {}

    public static class Base {
        public String text;
        private long number;

        public long getNumber() {
            return number;
        }

        public void setNumber(long number) {
            this.number = number;
        }
    }

    public static class Inner extends Base {}

    public static class InnerMost extends Inner {}

    public static class Outer extends Base {
        public boolean flag;
        public byte small;
        public short shorter;
        public char letter;
        public int whole;
        public float real;
        public double precise;
        public Integer maybe;
        public byte[] raw;
        public int[] numbers;
        public Inner[] inners;
        public Colour colour;
        public Tuple2<String, Inner> pair;
        public Point point;
        public java.math.BigDecimal exact;
    }

    static final TypeInformation<?> LISTS = Types.TUPLE(
            Types.LIST(Types.STRING),
            Types.MAP(Types.STRING, Types.LONG),
            Types.MAP(Types.INT, Types.POJO(Inner.class)));
    static final TypeInformation<?> ROW = Types.ROW_NAMED(
            new String[] {"a", "b", "c"}, Types.STRING, Types.OBJECT_ARRAY(Types.DOUBLE), Types.ENUM(Colour.class));
    static final TypeInformation<?> OUTER = Types.POJO(Outer.class);
    static final TypeInformation<?> POINT = TypeInformation.of(Point.class);
    static final TypeInformation<?> TUPLE = TypeInformation.of(new TypeHint<Tuple3<Integer, byte[], boolean[]>>() {});

    private static final String INNER = "{\"type\":\"record\",\"name\":\"Inner\",\"fields\":["
            + "{\"name\":\"number\",\"type\":\"long\"},{\"name\":\"text\",\"type\":[\"null\",\"string\"]}]}";
    private static final String POINT_FIELDS = "{\"type\":\"record\",\"name\":\"Point\",\"fields\":["
            + "{\"name\":\"x\",\"type\":\"int\"},{\"name\":\"y\",\"type\":[\"null\",\"double\"]},"
            + "{\"name\":\"name\",\"type\":[\"null\",\"string\"]}]}";
    private static final String COLOUR = "{\"type\":\"enum\",\"name\":\"Colour\",\"symbols\":[\"RED\",\"GREEN\"]}";

    static final Schema LISTS_SCHEMA = parse("{\"type\":\"record\",\"name\":\"T\",\"fields\":["
            + "{\"name\":\"f0\",\"type\":[\"null\",{\"type\":\"array\",\"items\":[\"null\",\"string\"]}]},"
            + "{\"name\":\"f1\",\"type\":[\"null\",{\"type\":\"map\",\"values\":[\"null\",\"long\"]}]},"
            + "{\"name\":\"f2\",\"type\":[\"null\",{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"E\",\"fields\":["
            + "{\"name\":\"key\",\"type\":[\"null\",\"int\"]},{\"name\":\"value\",\"type\":[\"null\"," + INNER
            + "]}]}}]}]}");
    static final Schema ROW_SCHEMA = parse("{\"type\":\"record\",\"name\":\"R\",\"fields\":["
            + "{\"name\":\"a\",\"type\":[\"null\",\"string\"]},"
            + "{\"name\":\"b\",\"type\":[\"null\",{\"type\":\"array\",\"items\":[\"null\",\"double\"]}]},"
            + "{\"name\":\"c\",\"type\":[\"null\"," + COLOUR + "]}]}");
    static final Schema POINT_SCHEMA = parse(POINT_FIELDS);
    static final Schema TUPLE_SCHEMA = parse("{\"type\":\"record\",\"name\":\"T\",\"fields\":["
            + "{\"name\":\"f0\",\"type\":[\"null\",\"int\"]},{\"name\":\"f1\",\"type\":[\"null\",\"bytes\"]},"
            + "{\"name\":\"f2\",\"type\":[\"null\",{\"type\":\"array\",\"items\":\"boolean\"}]}]}");
    static final Schema OUTER_SCHEMA = parse("{\"type\":\"record\",\"name\":\"Outer\",\"fields\":["
            + "{\"name\":\"colour\",\"type\":[\"null\"," + COLOUR + "]},"
            + "{\"name\":\"exact\",\"type\":[\"null\",\"bytes\"]},"
            + "{\"name\":\"flag\",\"type\":\"boolean\"},"
            + "{\"name\":\"inners\",\"type\":[\"null\",{\"type\":\"array\",\"items\":[\"null\"," + INNER + "]}]},"
            + "{\"name\":\"letter\",\"type\":\"int\"},"
            + "{\"name\":\"maybe\",\"type\":[\"null\",\"int\"]},"
            + "{\"name\":\"number\",\"type\":\"long\"},"
            + "{\"name\":\"numbers\",\"type\":[\"null\",{\"type\":\"array\",\"items\":\"int\"}]},"
            + "{\"name\":\"pair\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"P\",\"fields\":["
            + "{\"name\":\"f0\",\"type\":[\"null\",\"string\"]},{\"name\":\"f1\",\"type\":[\"null\",\"Inner\"]}]}]},"
            + "{\"name\":\"point\",\"type\":[\"null\"," + POINT_FIELDS + "]},"
            + "{\"name\":\"precise\",\"type\":\"double\"},"
            + "{\"name\":\"raw\",\"type\":[\"null\",\"bytes\"]},"
            + "{\"name\":\"real\",\"type\":\"float\"},"
            + "{\"name\":\"shorter\",\"type\":\"int\"},"
            + "{\"name\":\"small\",\"type\":\"int\"},"
            + "{\"name\":\"text\",\"type\":[\"null\",\"string\"]},"
            + "{\"name\":\"whole\",\"type\":\"int\"}]}");

    private Shapes() {}

    static Schema parse(String json) {
        return new Schema.Parser().parse(json);
    }

    static Schema nullable(Schema.Type type) {
        return SchemaBuilder.unionOf()
                .nullType()
                .and()
                .type(Schema.create(type))
                .endUnion();
    }

    /** A value in words, with the classes of its parts, so that two of them can be compared. */
    static String show(Object value) {
        if (value == null) {
            return "null";
        }
        Class<?> type = value.getClass();
        StringBuilder text = new StringBuilder(type.getSimpleName()).append('(');
        if (type.isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                text.append(show(Array.get(value, i))).append(',');
            }
        } else if (value instanceof Map<?, ?> map) {
            text.append(map.entrySet().stream()
                    .map(entry -> show(entry.getKey()) + "=" + show(entry.getValue()))
                    .sorted()
                    .toList());
        } else if (value instanceof List || value instanceof Set) {
            ((Iterable<?>) value).forEach(v -> text.append(show(v)).append(','));
        } else if (value instanceof Row row) {
            for (int i = 0; i < row.getArity(); i++) {
                text.append(show(row.getField(i))).append(',');
            }
        } else if (type.getName().startsWith("java.") || value instanceof Enum) {
            text.append(value);
        } else {
            for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
                for (Field field : c.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        try {
                            text.append(show(field.get(value))).append(',');
                        } catch (IllegalAccessException e) {
                            throw new AssertionError(e);
                        }
                    }
                }
            }
        }
        return text.append(')').toString();
    }
}
