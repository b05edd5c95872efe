package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void variablesAreReplaced() {
        assertArrayEquals(
                new String[] {"--password", "a$1b", "x-a$1b-y", "$PASSWORD", "${no name}"},
                Arguments.expand(
                        List.of("--password", "${PASSWORD}", "x-${PASSWORD}-y", "$PASSWORD", "${no name}"),
                        Map.of("PASSWORD", "a$1b")));
    }

    @Test
    void missingOnesAreNamed() {
        assertEquals(
                "the job's arguments name environment variables that are not set: A, B",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Arguments.expand(List.of("${B}", "${A}", "${A}"), Map.of()))
                        .getMessage());
    }
}
