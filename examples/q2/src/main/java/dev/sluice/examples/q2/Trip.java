package dev.sluice.examples.q2;

/** A taxi trip, as far as both forms of the file tell it. */
public class Trip {
    /** The taxi. */
    public String medallion;

    /** The driver. */
    public String hackLicense;

    /** Epoch milliseconds. */
    public long pickupTime;

    /** Epoch milliseconds. */
    public long dropoffTime;

    public int seconds;
    public double miles;

    /** Degrees, as are the other three. */
    public double pickupLongitude;

    public double pickupLatitude;
    public double dropoffLongitude;
    public double dropoffLatitude;

    /** {@code CSH}, {@code CRD} and the like; null where the form doesn't have it. */
    public String paymentType;

    public Trip() {}
}
