package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.example.Scores;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.util.ChildFirstClassLoader;
import org.junit.jupiter.api.Test;

/** What functions hold and can read. */
final class ConstantsTest {
    private static URLClassLoader loader() {
        URL tests = Scores.class.getProtectionDomain().getCodeSource().getLocation();
        String[] parentFirst = {"java.", "org.apache.flink.", "dev.sluice."};
        ClassLoader parent = ConstantsTest.class.getClassLoader();
        return new ChildFirstClassLoader(new URL[] {tests}, parent, parentFirst, failure -> {});
    }

    private static JsonNode constants(Object function, String entry, String name) throws IOException {
        try (URLClassLoader one = loader();
                URLClassLoader other = loader()) {
            Map<String, byte[]> serialized = Map.of(entry, Functions.serialize(function));
            Map<String, byte[]> entries = Constants.of(serialized, one, other);
            assertEquals(List.of(name), new ArrayList<>(entries.keySet()));
            assertArrayEquals(
                    entries.get(name), Constants.of(serialized, one, other).get(name));
            return new ObjectMapper().readTree(entries.get(name));
        }
    }

    private static JsonNode root(JsonNode constants, String name) {
        JsonNode root = constants.path("roots").path(name);
        return root.has("ref") ? constants.path("objects").path(root.path("ref").asInt()) : root;
    }

    private static JsonNode field(JsonNode constants, JsonNode object, String name) {
        JsonNode field = object.path("fields").path(name);
        return field.has("ref")
                ? constants.path("objects").path(field.path("ref").asInt())
                : field;
    }

    @Test
    void aClassHoldsFieldsAndReadsStatics() throws Exception {
        JsonNode constants = constants(new Scores(), "functions/7.ser", "constants/7.json");
        List<String> roots = new ArrayList<>();
        constants.path("roots").fieldNames().forEachRemaining(roots::add);
        String here = "dev/example/Scores";
        assertEquals(
                List.of(
                        here + "$Broken.VALUE",
                        here + "$Names.NAMES",
                        here + ".SPACE",
                        here + ".STARTED_NS",
                        here + ".WORDS",
                        here + ".shift",
                        here + ".written",
                        "this"),
                roots);
        assertEquals(
                "{\"class\":\"java.util.HashMap\",\"entries\":[[{\"s\":\"bad\"},{\"box\":{\"d\":\"-2.5\"}}],"
                        + "[{\"s\":\"good\"},{\"box\":{\"d\":\"1.9\"}}]]}",
                root(constants, here + ".WORDS").toString());
        assertEquals(
                "{\"class\":\"java.util.regex.Pattern\",\"text\":\"\\\\s+\",\"flags\":2}",
                root(constants, here + ".SPACE").toString());
        assertEquals("{\"i\":7}", root(constants, here + ".shift").toString());
        for (String uncertain : List.of(".written", ".STARTED_NS", "$Broken.VALUE")) {
            assertTrue(root(constants, here + uncertain).path("opaque").asBoolean(), uncertain);
        }
        JsonNode names = root(constants, here + "$Names.NAMES");
        assertEquals(
                "{\"s\":\"a\u0001\u00e9\"}",
                names.path("items").path(0).toString().replace("\\u0001", "\u0001"));
        assertTrue(constants
                .path("objects")
                .path(names.path("items").path(1).path("ref").asInt())
                .path("opaque")
                .asBoolean());
    }

    @Test
    void objectsAreWrittenOnce() throws Exception {
        JsonNode constants = constants(new Scores(), "functions/7.ser", "constants/7.json");
        JsonNode self = root(constants, "this");
        String here = "dev/example/Scores.";
        assertEquals("dev.example.Scores", self.path("class").asText());
        assertTrue(field(constants, self, here + "cache").isNull(), "where it runs, it is null");
        assertEquals(
                "{\"array\":\"[D\",\"values\":[{\"d\":\"1.5\"},{\"d\":\"NaN\"}]}",
                field(constants, self, here + "weights").toString());
        JsonNode level = field(constants, self, here + "level");
        assertEquals(
                "{\"enum\":\"dev.example.Scores$Level\",\"name\":\"HIGH\",\"ordinal\":1,"
                        + "\"class\":\"dev.example.Scores$Level$1\",\"fields\":{\"dev/example/Scores$Level.points\":{\"i\":2}}}",
                level.toString());
        int place = field(constants, self, here + "nodes")
                .path("items")
                .path(0)
                .path("ref")
                .asInt();
        JsonNode node = constants.path("objects").path(place);
        String fields = "dev/example/Scores$Node.";
        assertEquals(
                place, node.path("fields").path(fields + "next").path("ref").asInt());
        assertEquals("{\"c\":120}", field(constants, node, fields + "letter").toString());
        assertEquals(
                "{\"box\":{\"i\":3}}", field(constants, node, fields + "boxed").toString());
    }

    @Test
    void aLambdaHoldsArguments() throws Exception {
        int least = 3;
        List<String> words = List.of("a");
        MapFunction<String, String> lambda = text -> text.length() > least ? text : words.get(0);
        JsonNode constants = constants(lambda, "functions/1.ser", "constants/1.json");
        assertEquals("{\"i\":3}", root(constants, "arg0").toString());
        assertEquals(
                "{\"s\":\"a\"}", root(constants, "arg1").path("items").path(0).toString());
    }

    @Test
    void soDoesATimeStampFunction() throws Exception {
        long shift = 5;
        SerializableTimestampAssigner<String> assigner = (text, time) -> time + shift;
        WatermarkStrategy<String> strategy =
                WatermarkStrategy.<String>forMonotonousTimestamps().withTimestampAssigner(assigner);
        JsonNode constants = constants(strategy, "watermarks/1.ser", "constants/1.assigner.json");
        assertEquals("{\"l\":\"5\"}", root(constants, "arg0").toString());
    }

    @Test
    void whatCantBeLoadedHasNone() throws Exception {
        try (URLClassLoader one = loader()) {
            assertFalse(Constants.of(Map.of("functions/1.ser", new byte[] {1}), one, one)
                    .containsKey("constants/1.json"));
        }
    }

    @Test
    void aReaderIsKnownWhereNothingWasSet() {
        assertTrue(Fresh.is(new ObjectMapper()));
        assertFalse(Fresh.is(new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT)));
        assertFalse(Fresh.is(new ObjectMapper().addMixIn(String.class, Object.class)));
        assertFalse(Fresh.is(Integer.valueOf(3)), "there is no such constructor");
    }
}
