package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of type. */
final class TypeTreeTest {
    private static final String STRING = "{'kind':'basic','class':'java.lang.String'}";
    private static final String INTEGER = "{'kind':'basic','class':'java.lang.Integer'}";
    private static final String LONG = "{'kind':'basic','class':'java.lang.Long'}";

    /** A POJO. */
    public static class Point {
        public int x;
        public Integer y;
        public List<String> tags;
        public DayOfWeek day;
    }

    /** A record. */
    public record Pair(long first, String second) {}

    /** Neither. */
    public static final class Opaque {
        private final Object inside;

        Opaque(Object inside) {
            this.inside = inside;
        }

        @Override
        public String toString() {
            return String.valueOf(inside);
        }
    }

    /** No POJO, but nothing else than its fields. */
    public static class Plain {
        private final long first;
        private final Integer second;
        private DayOfWeek day;

        Plain(long first, Integer second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public String toString() {
            return first + " " + second + " " + day;
        }
    }

    /** A class with another below it. */
    public static class Above {
        private final long first;

        Above(long first) {
            this.first = first;
        }

        @Override
        public String toString() {
            return String.valueOf(first);
        }
    }

    /** That other. */
    public static final class Below extends Above {
        Below() {
            super(1);
        }
    }

    static List<Arguments> kinds() {
        String owner = TypeTreeTest.class.getName();
        return List.of(
                Arguments.of(Types.STRING, STRING),
                Arguments.of(Types.INT, INTEGER),
                Arguments.of(Types.BIG_DEC, "{'kind':'basic','class':'" + BigDecimal.class.getName() + "'}"),
                Arguments.of(Types.PRIMITIVE_ARRAY(Types.BYTE), "{'kind':'primitive_array','class':'[B'}"),
                Arguments.of(
                        TypeInformation.of(String[].class), "{'kind':'basic_array','class':'[Ljava.lang.String;'}"),
                Arguments.of(TypeInformation.of(Pair[].class), "{'kind':'object_array','element':" + pair(owner) + "}"),
                Arguments.of(
                        TypeInformation.of(new TypeHint<Tuple2<String, Long>>() {}),
                        "{'kind':'tuple','class':'" + Tuple2.class.getName() + "','fields':[" + STRING + "," + LONG
                                + "]}"),
                Arguments.of(TypeInformation.of(Pair.class), pair(owner)),
                Arguments.of(
                        Types.ROW_NAMED(new String[] {"a", "b"}, Types.STRING, Types.LONG),
                        "{'kind':'row','fields':[{'name':'a','type':" + STRING + "},{'name':'b','type':" + LONG
                                + "}]}"),
                Arguments.of(Types.LIST(Types.STRING), "{'kind':'list','element':" + STRING + "}"),
                Arguments.of(
                        Types.MAP(Types.STRING, Types.INT),
                        "{'kind':'map','key':" + STRING + ",'value':" + INTEGER + "}"),
                Arguments.of(Types.ENUM(DayOfWeek.class), days()),
                Arguments.of(Types.GENERIC(Above.class), "{'kind':'generic','class':'" + owner + "$Above'}"),
                Arguments.of(
                        Types.GENERIC(Plain.class),
                        "{'kind':'generic','class':'" + owner + "$Plain','fields':["
                                + "{'name':'first','type':" + LONG + ",'primitive':true},"
                                + "{'name':'second','type':" + INTEGER + ",'primitive':false},"
                                + "{'name':'day','type':" + days() + ",'primitive':false}]}"),
                Arguments.of(Types.GENERIC(Opaque.class), "{'kind':'generic','class':'" + owner + "$Opaque'}"),
                Arguments.of(
                        Types.EITHER(Types.STRING, Types.INT),
                        "{'kind':'other','class':'org.apache.flink.types.Either'}"));
    }

    private static String pair(String owner) {
        return "{'kind':'pojo','class':'" + owner + "$Pair','record':true,'fields':[{'name':'first','type':" + LONG
                + ",'primitive':true},{'name':'second','type':" + STRING + ",'primitive':false}]}";
    }

    private static String days() {
        return "{'kind':'enum','class':'java.time.DayOfWeek','symbols':"
                + "['MONDAY','TUESDAY','WEDNESDAY','THURSDAY','FRIDAY','SATURDAY','SUNDAY']}";
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aTypeIsATree(TypeInformation<?> type, String tree) throws Exception {
        assertEquals(tree.replace('\'', '"'), new ObjectMapper().writeValueAsString(TypeTree.of(type)));
    }

    @Test
    @SuppressWarnings("unchecked")
    void aPojosFieldsAreInFlinksOrder() {
        Map<String, Object> tree = TypeTree.of(TypeInformation.of(Point.class));
        List<Map<String, Object>> fields = (List<Map<String, Object>>) tree.get("fields");
        assertEquals(
                List.of("day", "tags", "x", "y"),
                fields.stream().map(field -> field.get("name")).toList());
        assertEquals(
                List.of(false, false, true, false),
                fields.stream().map(field -> field.get("primitive")).toList());
        assertEquals(false, tree.get("record"));
        assertEquals("enum", ((Map<String, Object>) fields.get(0).get("type")).get("kind"));
    }
}
