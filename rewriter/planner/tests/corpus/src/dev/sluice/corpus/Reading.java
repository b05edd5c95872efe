package dev.sluice.corpus;

/** A value of a site at a time. */
public class Reading {
    public long time;
    public String site;
    public double value;

    public Reading() {}

    /** {@code time,site,value}. */
    static Reading parse(String line) {
        String[] parts = line.split(",");
        Reading reading = new Reading();
        reading.time = Long.parseLong(parts[0]);
        reading.site = parts[1];
        reading.value = Double.parseDouble(parts[2]);
        return reading;
    }
}
