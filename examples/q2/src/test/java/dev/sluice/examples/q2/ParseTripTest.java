package dev.sluice.examples.q2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParseTripTest {
    @Test
    void readsTheFormOfTheChallenge() {
        Trip trip = ParseTrip.parse(Lines.DEBS);
        assertEquals("A1B2C3D4E5F60718293A4B5C6D7E8F90", trip.medallion);
        assertEquals("0F1E2D3C4B5A69788796A5B4C3D2E1F0", trip.hackLicense);
        assertEquals(Instant.parse("2013-01-01T00:00:00Z").toEpochMilli(), trip.pickupTime);
        assertEquals(Instant.parse("2013-01-01T00:02:00Z").toEpochMilli(), trip.dropoffTime);
        assertEquals(120, trip.seconds);
        assertEquals(0.44, trip.miles);
        assertEquals(-73.956528, trip.pickupLongitude);
        assertEquals(40.715008, trip.dropoffLatitude);
        assertEquals("CSH", trip.paymentType);
    }

    @Test
    void readsTheFormOfTheCity() {
        Trip trip = ParseTrip.parse(Lines.CITY);
        assertEquals(Instant.parse("2013-01-13T04:46:07Z").toEpochMilli(), trip.dropoffTime);
        assertEquals(607, trip.seconds);
        assertEquals(-73.996933, trip.pickupLongitude);
        assertEquals(40.69304, trip.dropoffLatitude);
        assertNull(trip.paymentType);
    }

    @Test
    void byteOrderMarkAndCarriageReturnAreRemoved() {
        Trip trip = ParseTrip.parse("\uFEFF" + Lines.DEBS + "\r");
        assertEquals("A1B2C3D4E5F60718293A4B5C6D7E8F90", trip.medallion);
        assertEquals(40.69304, ParseTrip.parse("\uFEFF" + Lines.CITY + "\r\n").dropoffLatitude);
    }

    @Test
    void otherNumbersOfColumnsAreNoTrip() {
        assertNull(ParseTrip.parse(""));
        assertNull(ParseTrip.parse("\r"));
        assertNull(ParseTrip.parse(Lines.DEBS + ","));
        assertNull(ParseTrip.parse(Lines.CITY + ",1"));
        assertNull(ParseTrip.parse(Lines.DEBS.substring(0, Lines.DEBS.lastIndexOf(','))));
        assertNull(ParseTrip.parse(Lines.CITY.substring(0, 40)));
    }

    @Test
    void theHeaderIsNoTrip() {
        assertNull(ParseTrip.parse(Lines.CITY_HEADER));
        assertNull(ParseTrip.parse("\uFEFF" + Lines.CITY_HEADER + "\r"));
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9})
    void aZeroCoordinateIsNoPosition(int column) {
        assertNull(ParseTrip.parse(Lines.debsWith(column, "0.000000")));
        assertNull(ParseTrip.parse(Lines.debsWith(column, "-0")));
        assertNull(ParseTrip.parse(Lines.cityWith(column + 4, "0")));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9})
    void valuesMustBeThere(int column) {
        for (String missing : new String[] {"", "NA", "Null", "x"}) {
            assertNull(ParseTrip.parse(Lines.debsWith(column, missing)), missing);
        }
    }

    @Test
    void textMayBeBlank() {
        assertEquals("", ParseTrip.parse(Lines.debsWith(10, "")).paymentType);
        assertNotNull(ParseTrip.parse(Lines.debsWith(0, "")));
        assertNotNull(ParseTrip.parse(Lines.cityWith(2, "")));
    }

    @Test
    void aTripTakesTimeAndCoversDistance() {
        assertNull(ParseTrip.parse(Lines.debsWith(4, "0")));
        assertNull(ParseTrip.parse(Lines.debsWith(4, "-60")));
        assertNull(ParseTrip.parse(Lines.debsWith(5, "0.00")));
        assertNull(ParseTrip.parse(Lines.debsWith(5, "NaN")));
        assertNull(ParseTrip.parse(Lines.debsWith(3, "2013-01-01 00:00:00")));
        assertNull(ParseTrip.parse(Lines.debsWith(2, "2013-01-01 00:02:01")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2013-02-29 00:02:00",
                "2013-01-01 24:02:00",
                "2013-01-01 00:60:00",
                "2013-01-01",
                "01/01/2013 00:02:00",
                " 2013-01-01 00:02:00"
            })
    void notATime(String text) {
        assertNull(ParseTrip.parse(Lines.debsWith(3, text)));
    }

    @ParameterizedTest
    @CsvSource({"1.5", "1e2", "0x10", "2147483648", "１２"})
    void someAreNotADuration(String text) {
        Trip trip = ParseTrip.parse(Lines.debsWith(4, text));
        // Java takes decimal digits of every script, and so does the query.
        assertEquals(text.equals("１２"), trip != null);
    }
}
