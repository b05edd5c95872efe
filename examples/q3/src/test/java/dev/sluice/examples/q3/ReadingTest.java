package dev.sluice.examples.q3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingTest {
    private static final long TIME = Instant.parse("2013-01-01T00:30:00Z").toEpochMilli();

    @Test
    void spacesAroundTheValueAreNoPartOfIt() {
        Reading reading = Reading.parse("MAC000153,2013-01-01 00:30:00, 1.972 ");
        assertEquals("MAC000153", reading.household);
        assertEquals(TIME, reading.time);
        assertEquals(1.972, reading.kwh);
    }

    @Test
    void readsTheFormWithTariff() {
        Reading reading = Reading.parse("MAC000153,Std,2013-01-01 00:30:00.0000000, 0.2 ,ACORN-A,Affluent");
        assertEquals("MAC000153", reading.household);
        assertEquals(TIME, reading.time);
        assertEquals(0.2, reading.kwh);
    }

    @Test
    void byteOrderMarkAndCarriageReturnAreRemoved() {
        assertEquals("MAC1", Reading.parse("\uFEFFMAC1,2013-01-01 00:30:00, 0.1 \r").household);
        assertEquals(0.1, Reading.parse("MAC1,2013-01-01 00:30:00,0.1\r\n").kwh);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Null", " Null ", "NA", "", " ", "null", "-", "0,1", "NaN", "Infinity", "-0.1", "1.2.3"})
    void missingAndImpossibleEnergy(String energy) {
        assertNull(Reading.parse("MAC1,2013-01-01 00:30:00," + energy));
    }

    @ParameterizedTest
    @CsvSource({"0,0", " 0 ,0", "4.2690001,4.2690001", "1e-3,0.001"})
    void energy(String text, double kwh) {
        assertEquals(kwh, Reading.parse("MAC1,2013-01-01 00:30:00," + text).kwh);
    }

    @Test
    void anOffGridSecondIsAReadingIfItHasAValue() {
        assertNull(Reading.parse("MAC1,2012-12-19 12:37:27,Null"));
        assertEquals(
                Instant.parse("2012-12-19T12:37:27Z").toEpochMilli(),
                Reading.parse("MAC1,2012-12-19 12:37:27, 2.5 ").time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2013-02-29 00:00:00", "2013-01-01", "01/01/2013 00:30", "2013-01-01 24:30:00"})
    void notATime(String time) {
        assertNull(Reading.parse("MAC1," + time + ", 0.1 "));
    }

    @Test
    void headersAreNoReadings() {
        assertNull(Reading.parse("LCLid,tstp,energy(kWh/hh)"));
        assertNull(Reading.parse("\uFEFFLCLid,tstp,energy(kWh/hh)\r"));
        assertNull(Reading.parse("LCLid,stdorToU,DateTime,KWH/hh (per half hour) ,Acorn,Acorn_grouped"));
    }

    @Test
    void otherNumbersOfColumnsAreNoReading() {
        assertNull(Reading.parse(""));
        assertNull(Reading.parse("\r"));
        assertNull(Reading.parse("MAC1,2013-01-01 00:30:00"));
        assertNull(Reading.parse("MAC1,2013-01-01 00:30:00, 0.1 ,"));
        assertNull(Reading.parse(" ,2013-01-01 00:30:00, 0.1 "));
        assertNotNull(Reading.parse("MAC1 ,2013-01-01 00:30:00,0.1"));
    }

    @Test
    void powerOfHalfAnHour() {
        Load load = Load.of(Reading.parse("MAC1,2013-01-01 00:30:00, 2.25 "));
        assertEquals("MAC1", load.household);
        assertEquals(TIME, load.time);
        assertEquals(4500, load.watts);
    }
}
