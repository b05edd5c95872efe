package dev.sluice.examples.q1;

/** A site's readings of one week. Sums are of scaled integers, so their order does not matter. */
public class SiteWeek {
    /** A weekly mean above this is an alert, thousandths of a microgram per cubic metre. */
    static final long UNHEALTHY_MILLI = 35_400;

    public String site;

    /** Start of the window, epoch milliseconds. */
    public long startMs;

    public long count;

    /** Sum of PM2.5, thousandths of a microgram per cubic metre. */
    public long sumMilli;

    public int worstAqi = Integer.MIN_VALUE;

    /** The category of the worst index. */
    public String category;

    public SiteWeek() {}

    void add(Reading reading) {
        count++;
        sumMilli += Math.round(reading.pm25 * 1000);
        if (reading.aqi > worstAqi) {
            worstAqi = reading.aqi;
            category = reading.category;
        }
    }

    void add(SiteWeek other) {
        count += other.count;
        sumMilli += other.sumMilli;
        if (other.worstAqi > worstAqi) {
            worstAqi = other.worstAqi;
            category = other.category;
        }
    }

    long meanMilli() {
        return sumMilli / count;
    }

    boolean unhealthy() {
        return meanMilli() > UNHEALTHY_MILLI;
    }

    /** {@code site,windowStartMs,count,sumMilli,meanMilli,worstAqi,category}. */
    String line() {
        return String.join(
                ",",
                site,
                Long.toString(startMs),
                Long.toString(count),
                Long.toString(sumMilli),
                Long.toString(meanMilli()),
                Integer.toString(worstAqi),
                category);
    }

    /** {@code ALERT,site,windowStartMs,meanMilli}. */
    String alert() {
        return "ALERT," + site + "," + startMs + "," + meanMilli();
    }

    /** The site of a line or an alert. */
    static String siteOf(String line) {
        String[] values = line.split(",", 3);
        return values[0].equals("ALERT") ? values[1] : values[0];
    }
}
