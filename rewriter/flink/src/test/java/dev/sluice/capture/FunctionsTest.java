package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.junit.jupiter.api.Test;

/** Each form of a function, and each kind of value in one. */
final class FunctionsTest {
    private static final String MAP = "org.apache.flink.api.common.functions.MapFunction";

    private abstract static class Base extends RichMapFunction<String, String> {
        private static final long serialVersionUID = 1;

        final int factor = 3;
    }

    private static final class Named extends Base {
        private static final long serialVersionUID = 1;

        private final String prefix = "p";
        private final char letter = 'x';
        private final long big = Long.MAX_VALUE;
        private final double nothing = Double.NaN;
        private final DayOfWeek day = DayOfWeek.FRIDAY;
        private final int[] numbers = {1, 2};
        private final List<String> words = new ArrayList<>(List.of("a", "b"));
        private final String none = null;
        private final Map<String, String> map = Map.of("k", "v");
        private transient Object cache;

        @Override
        public String map(String value) {
            cache = value;
            return prefix + letter + big + nothing + day + numbers.length + words + none + map + cache + factor;
        }
    }

    private static final class Unserializable implements MapFunction<String, String> {
        private final Object lock = new Object();

        @Override
        public String map(String value) {
            return value + lock;
        }
    }

    private static String twice(String value) {
        return value + value;
    }

    private static Graph.Captured captured(Graph.Function function, String name) {
        return function.captured().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Object known(Graph.Function function, String name) {
        assertTrue(captured(function, name).known(), name);
        return captured(function, name).value();
    }

    @Test
    void aClassHasFields() {
        Graph.Function function = Functions.of(new Named(), "functions/1.ser");
        assertEquals(Named.class.getName(), function.type());
        assertEquals("class", function.form());
        assertTrue(function.rich());
        assertTrue(function.interfaces().contains(MAP));
        assertNull(function.implementation());
        assertEquals("functions/1.ser", function.serialized());
        assertEquals("factor", function.captured().get(0).name(), "the super class's first");
        assertEquals(3, known(function, "factor"));
        assertEquals("p", known(function, "prefix"));
        assertEquals("x", known(function, "letter"));
        assertEquals(Long.MAX_VALUE, known(function, "big"));
        assertEquals("NaN", known(function, "nothing"));
        assertEquals("FRIDAY", known(function, "day"));
        assertEquals(List.of(1, 2), known(function, "numbers"));
        assertEquals("[I", captured(function, "numbers").type());
        assertEquals(List.of("a", "b"), known(function, "words"));
        assertNull(known(function, "none"));
        assertFalse(captured(function, "map").known());
        assertTrue(captured(function, "cache").isTransient());
    }

    @Test
    void anAnonymousClassIsAClass() {
        MapFunction<String, String> anonymous = new MapFunction<>() {
            @Override
            public String map(String value) {
                return value;
            }
        };
        assertEquals("class", Functions.of(anonymous, "e").form());
    }

    @Test
    void aLambdaHasABodyAndArguments() {
        String suffix = "!";
        MapFunction<String, String> lambda = value -> value + suffix;
        Graph.Function function = Functions.of(lambda, "e");
        assertEquals("lambda", function.form());
        assertEquals(FunctionsTest.class.getName(), function.type());
        assertEquals("static", function.implementation().kind());
        assertTrue(function.implementation().name().startsWith("lambda$"));
        assertEquals(
                "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
                function.implementation().descriptor());
        assertEquals(List.of(new Graph.Captured("arg0", "Ljava/lang/String;", false, "!", true)), function.captured());
        assertEquals("e", function.serialized());
    }

    @Test
    void aMethodReferenceHasAMethod() {
        MapFunction<String, String> of = FunctionsTest::twice;
        assertEquals("method_reference", Functions.of(of, "e").form());
        assertEquals("twice", Functions.of(of, "e").implementation().name());

        MapFunction<String, String> virtual = String::trim;
        assertEquals("virtual", Functions.of(virtual, "e").implementation().kind());

        MapFunction<String, StringBuilder> constructor = StringBuilder::new;
        assertEquals("new", Functions.of(constructor, "e").implementation().kind());

        MapFunction<String, String> bound = "p"::concat;
        Graph.Function function = Functions.of(bound, "e");
        assertEquals(List.of(new Graph.Captured("this", "Ljava/lang/String;", false, "p", true)), function.captured());
    }

    @Test
    void shuffledCollectionsAreSerializedInOrder() throws Exception {
        byte[] map = Functions.serialize(Map.of("c", 3, "a", 1, "d", 4, "b", 2));
        String text = new String(map, StandardCharsets.ISO_8859_1);
        assertTrue(text.matches("(?s).*t\\x00\\x01a.*t\\x00\\x01b.*t\\x00\\x01c.*t\\x00\\x01d.*"), text);
        byte[] set = Functions.serialize(Set.of(5L, 2L, 9L, 7L));
        ByteArrayInputStream bytes = new ByteArrayInputStream(set);
        try (ObjectInputStream in = new ObjectInputStream(bytes)) {
            assertEquals(Set.of(2L, 5L, 7L, 9L), in.readObject());
        }
    }

    @Test
    void whatCantBeSerializedSaysWhy() {
        Graph.Function function = Functions.of(new Unserializable(), "e");
        assertNull(function.serialized());
        assertNotNull(function.problem());
        assertTrue(function.problem().contains("java.lang.Object"), function.problem());
    }
}
