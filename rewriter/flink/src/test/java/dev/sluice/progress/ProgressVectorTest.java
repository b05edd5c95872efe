package dev.sluice.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors that the Rust twin runs too. */
class ProgressVectorTest {
    private static final Path FOLDER = Path.of("..", "..", "tests", "vectors");

    /** Written for a rule, and scenarios of the simulator. */
    static List<Path> vectors() throws IOException {
        try (Stream<Path> rules = Files.list(FOLDER.resolve("progress"));
                Stream<Path> scenarios = Files.list(FOLDER.resolve("sim"))) {
            return Stream.concat(rules, scenarios).sorted().toList();
        }
    }

    @Test
    void theVectorsAreThere() throws IOException {
        assertTrue(vectors().size() >= 30, "only " + vectors());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void comesTrue(Path vector) throws IOException {
        JsonNode script = new ObjectMapper().readTree(vector.toFile());
        assertFalse(script.path("rule").asText().isEmpty(), vector + " names no rule");
        VectorScript run = new VectorScript(script);
        int number = 0;
        for (JsonNode step : script.get("steps")) {
            String where = vector.getFileName() + ", step " + number + ": " + step.get("do");
            List<String> expected = new ArrayList<>();
            step.path("then").forEach(action -> expected.add(action.asText()));
            assertEquals(expected, run.step(step), where);
            JsonNode state = run.state();
            assertTrue(
                    shows(state, step.path("state")),
                    () -> where + "\n  actual " + state + "\nexpected " + step.path("state"));
            number++;
        }
    }

    /** Whether {@code actual} shows everything that {@code expected} names, at every depth. */
    private static boolean shows(JsonNode actual, JsonNode expected) {
        if (!expected.isObject()) {
            return expected.isMissingNode()
                    || (expected.isIntegralNumber()
                            ? actual.isIntegralNumber() && actual.asLong() == expected.asLong()
                            : expected.equals(actual));
        }
        for (Iterator<Map.Entry<String, JsonNode>> fields = expected.fields(); fields.hasNext(); ) {
            Map.Entry<String, JsonNode> field = fields.next();
            if (!actual.has(field.getKey()) || !shows(actual.get(field.getKey()), field.getValue())) {
                return false;
            }
        }
        return true;
    }
}
