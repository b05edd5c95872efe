package dev.sluice.examples.q1;

/** A measurement with its category. */
public class Reading {
    /** {@code SS-CCC-NNNN}. */
    public String site;

    /** Epoch milliseconds. */
    public long time;

    /** Micrograms per cubic metre. */
    public double pm25;

    public int aqi;

    /** The name of the AQI's band, as {@link Category} gives it. */
    public String category;

    public Reading() {}

    static Reading of(Measurement measurement) {
        Reading reading = new Reading();
        reading.site = measurement.site;
        reading.time = measurement.time;
        reading.pm25 = measurement.pm25;
        reading.aqi = measurement.aqi;
        reading.category = Category.of(measurement.aqi);
        return reading;
    }
}
