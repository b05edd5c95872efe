package dev.sluice.equivalence;

/** A reading of a sensor: {@code sensor,time,value}. */
public class Reading {
    /** The sensor. */
    public String sensor;
    /** When, epoch milliseconds. */
    public long time;
    /** The value; null where it was empty. */
    public Double value;

    /** For Flink. */
    public Reading() {}

    /** A reading. */
    public Reading(String sensor, long time, Double value) {
        this.sensor = sensor;
        this.time = time;
        this.value = value;
    }

    /** The reading of a line, or null if it is none. */
    public static Reading parse(String line) {
        String[] parts = line.split(",", -1);
        if (parts.length != 3 || parts[0].isEmpty()) {
            return null;
        }
        try {
            Double value = parts[2].isEmpty() ? null : Double.valueOf(parts[2]);
            return new Reading(parts[0], Long.parseLong(parts[1]), value);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The value, 0 where there is none. */
    public double valueOrZero() {
        return value == null ? 0 : value;
    }

    @Override
    public String toString() {
        return sensor + "@" + time + "=" + value;
    }
}
