package dev.sluice.examples.q1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParseRowTest {
    @Test
    void readsTheQuotedForm() {
        AirRow row = ParseRow.parse(Rows.QUOTED);
        assertEquals("01", row.stateCode);
        assertEquals(1, row.poc);
        assertEquals(30.5, row.latitude);
        assertEquals(Instant.parse("2012-01-01T00:00:00Z").toEpochMilli(), row.dateLocal);
        assertEquals(28, row.aqi);
        assertEquals("1 PIRATE DRIVE, FAIRHOPE,  ALABAMA", row.address);
        assertEquals("2014-06-07", row.dateOfLastChange);
        assertEquals("01-003-0010", Measurement.of(row).site);
    }

    @Test
    void readsThePlainForm() {
        AirRow row = ParseRow.parse(Rows.PLAIN);
        assertEquals(43, row.aqi);
        assertEquals("", row.methodCode);
        assertEquals("NO. B'HAM,SOU R.R., 3009 28TH ST. NO.", row.address);
        assertEquals("01-073-0023", Measurement.of(row).site);
    }

    @Test
    void byteOrderMarkAndCarriageReturnAreRemoved() {
        AirRow row = ParseRow.parse("\uFEFF" + Rows.PLAIN + "\r");
        assertEquals("1", row.stateCode);
        assertEquals("2020-05-19", row.dateOfLastChange);
    }

    @Test
    void theHeaderIsNoRow() {
        assertNull(ParseRow.parse("State Code,County Code" + ",x".repeat(27)));
    }

    @Test
    void twentyNineColumnsExactly() {
        assertNull(ParseRow.parse(""));
        assertNull(ParseRow.parse(Rows.PLAIN + ","));
        assertNull(ParseRow.parse(Rows.PLAIN.substring(0, Rows.PLAIN.lastIndexOf(','))));
    }

    @Test
    void unusableRowsAreDropped() {
        assertNull(ParseRow.parse(Rows.plainWith(9, "1 HOUR")));
        assertNull(ParseRow.parse(Rows.plainWith(13, "Excluded")));
        assertNull(ParseRow.parse(Rows.plainWith(15, "74.9")));
        assertNotNull(ParseRow.parse(Rows.plainWith(15, "75")));
        assertNull(ParseRow.parse(Rows.plainWith(16, "-0.1")));
        assertNotNull(ParseRow.parse(Rows.plainWith(16, "0")));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 11, 14, 15, 16, 17, 18, 19})
    void numbersAndDatesMustParse(int column) {
        assertNull(ParseRow.parse(Rows.plainWith(column, "")));
        assertNull(ParseRow.parse(Rows.plainWith(column, "NA")));
        assertNull(ParseRow.parse(Rows.plainWith(column, " 1")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 8, 9, 10, 12, 13, 20, 21, 22})
    void textMayBeBlank(int column) {
        assertNotNull(ParseRow.parse(Rows.plainWith(column, "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1", "1.", ".5", "1.5", "1e2", "0x1", "１", "2147483648", "-", ".0", "1.0.0"})
    void notAnInteger(String text) {
        assertNull(ParseRow.parse(Rows.plainWith(19, text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1", "1.", ".5", "1e", "1e+", "0x1p3", "1f", "NaN", "Infinity", "1e999", "-"})
    void notADecimal(String text) {
        assertNull(ParseRow.parse(Rows.plainWith(16, text)));
    }

    @ParameterizedTest
    @CsvSource({"7,7", "6.75,6.75", "1e1,10", "1.5E-3,0.0015", "-0.0,-0.0", "1e-999,0"})
    void decimals(String text, double value) {
        assertEquals(value, ParseRow.parse(Rows.plainWith(16, text)).mean);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2015-02-29", "2016-13-01", "2016-1-15", "15/01/2016", "+2016-01-15"})
    void notADate(String text) {
        assertNull(ParseRow.parse(Rows.plainWith(11, text)));
    }

    @Test
    void leapDays() {
        assertEquals(
                Instant.parse("2016-02-29T00:00:00Z").toEpochMilli(),
                ParseRow.parse(Rows.plainWith(11, "2016-02-29")).dateLocal);
    }
}
