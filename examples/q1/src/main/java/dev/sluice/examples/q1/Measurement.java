package dev.sluice.examples.q1;

/** What the job needs of a row. */
public class Measurement {
    /** {@code SS-CCC-NNNN}: state, county and site, padded with zeros. */
    public String site;

    /** Epoch milliseconds. */
    public long time;

    /** Micrograms per cubic metre. */
    public double pm25;

    public int aqi;

    public Measurement() {}

    static Measurement of(AirRow row) {
        Measurement measurement = new Measurement();
        measurement.site = padded(row.stateCode, 2) + "-" + padded(row.countyCode, 3) + "-" + padded(row.siteNum, 4);
        measurement.time = row.dateLocal;
        measurement.pm25 = row.mean;
        measurement.aqi = row.aqi;
        return measurement;
    }

    /** One edition of the file writes codes without their leading zeros. */
    private static String padded(String code, int width) {
        return "0".repeat(Math.max(0, width - code.length())) + code;
    }
}
