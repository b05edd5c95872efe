package dev.sluice.examples.q1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTest {
    @Test
    void plainValuesAreTakenAsTheyAre() {
        assertEquals(List.of("a", " b ", "c\"d"), Csv.split("a, b ,c\"d"));
    }

    @Test
    void emptyValuesCount() {
        assertEquals(List.of(""), Csv.split(""));
        assertEquals(List.of("", "", ""), Csv.split(",,"));
        assertEquals(List.of("", ""), Csv.split("\"\","));
    }

    @Test
    void quotedValuesMayHoldCommasAndDoubledQuotes() {
        assertEquals(List.of("a,b", "say \"x\"", "\""), Csv.split("\"a,b\",\"say \"\"x\"\"\",\"\"\"\""));
    }

    @Test
    void brokenQuotesAreNoLine() {
        assertNull(Csv.split("\"a"));
        assertNull(Csv.split("a,\"b\"c"));
        assertNull(Csv.split("\"a\"\""));
    }
}
