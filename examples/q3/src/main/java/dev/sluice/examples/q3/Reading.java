package dev.sluice.examples.q3;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** What a meter counted in half an hour. */
public class Reading {
    public String household;

    /** Start of the half hour, epoch milliseconds. */
    public long time;

    /** Energy of the half hour, kilowatt hours. */
    public double kwh;

    public Reading() {}

    /**
     * The reading of a line, null where there is none.
     *
     * <p>There are two forms: household, time and energy; and the same with the tariff before the
     * time and two columns about the household's neighbourhood at the end. A byte-order mark at the
     * start of a line is removed, and white space around each value. Energy is missing where it says
     * {@code Null}, {@code NA} or nothing; such a line is dropped, and so is one whose time or energy
     * is not one (so a header), is negative or infinite, or that has no household.
     */
    static Reading parse(String line) {
        String[] columns = (line.startsWith("\uFEFF") ? line.substring(1) : line).split(",", -1);
        if (columns.length == 3) {
            return parse(columns[0].trim(), columns[1].trim(), columns[2].trim());
        }
        if (columns.length == 6) {
            return parse(columns[0].trim(), columns[2].trim(), columns[3].trim());
        }
        return null;
    }

    private static Reading parse(String household, String time, String energy) {
        if (household.isEmpty() || energy.isEmpty() || energy.equals("Null") || energy.equals("NA")) {
            return null;
        }
        Reading reading = new Reading();
        reading.household = household;
        try {
            // A fraction of the second is legal, and cut off.
            reading.time = LocalDateTime.parse(time.replace(' ', 'T')).toEpochSecond(ZoneOffset.UTC) * 1000;
            reading.kwh = Double.parseDouble(energy);
        } catch (DateTimeException | NumberFormatException notOne) {
            return null;
        }
        return reading.kwh >= 0 && reading.kwh < Double.POSITIVE_INFINITY ? reading : null;
    }
}
