package dev.sluice.examples.q3;

/** The mean power that a household drew in half an hour. */
public class Load {
    private static final double WATTS_PER_KWH_IN_HALF_AN_HOUR = 2000;

    public String household;

    /** Start of the half hour, epoch milliseconds. */
    public long time;

    public double watts;

    public Load() {}

    static Load of(Reading reading) {
        Load load = new Load();
        load.household = reading.household;
        load.time = reading.time;
        load.watts = reading.kwh * WATTS_PER_KWH_IN_HALF_AN_HOUR;
        return load;
    }
}
