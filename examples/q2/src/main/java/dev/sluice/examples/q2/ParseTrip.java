package dev.sluice.examples.q2;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * A line to a trip, or to nothing when it tells of none.
 *
 * <p>There are two forms: the 17 columns of the DEBS 2015 challenge, and the 14 of the city's own
 * trip file, which has vendor, rate, flag and passengers but no payment. Neither quotes. A byte-order
 * mark at the start of a line is removed, and so is white space at both ends of it.
 *
 * <p>Dropped: any other number of columns; a time, duration, distance or coordinate that is not one
 * (so a header); a coordinate of zero, which is how a taxi says that it has no position; trips that
 * took no time or covered no distance, and those that ended before they began.
 */
public final class ParseTrip implements FlatMapFunction<String, Trip> {
    private static final long serialVersionUID = 1;
    private static final int DEBS_COLUMNS = 17;
    private static final int CITY_COLUMNS = 14;

    @Override
    public void flatMap(String line, Collector<Trip> out) {
        Trip trip = parse(line);
        if (trip != null) {
            out.collect(trip);
        }
    }

    static Trip parse(String line) {
        String text = line.startsWith("\uFEFF") ? line.substring(1) : line;
        String[] columns = text.trim().split(",", -1);
        Trip trip;
        try {
            if (columns.length == DEBS_COLUMNS) {
                trip = trip(columns, 2, 4, 6);
                trip.paymentType = columns[10];
            } else if (columns.length == CITY_COLUMNS) {
                trip = trip(columns, 5, 8, 10);
            } else {
                return null;
            }
        } catch (NumberFormatException | DateTimeException notOne) {
            return null;
        }
        boolean moved = trip.seconds > 0 && trip.miles > 0 && trip.dropoffTime > trip.pickupTime;
        boolean located = trip.pickupLongitude != 0
                && trip.pickupLatitude != 0
                && trip.dropoffLongitude != 0
                && trip.dropoffLatitude != 0;
        return moved && located ? trip : null;
    }

    /**
     * A trip from two columns of times, two of duration and distance, and four of coordinates,
     * given the first of each.
     */
    private static Trip trip(String[] columns, int times, int lengths, int coordinates) {
        Trip trip = new Trip();
        trip.medallion = columns[0];
        trip.hackLicense = columns[1];
        trip.pickupTime = time(columns[times]);
        trip.dropoffTime = time(columns[times + 1]);
        trip.seconds = Integer.parseInt(columns[lengths]);
        trip.miles = Double.parseDouble(columns[lengths + 1]);
        trip.pickupLongitude = Double.parseDouble(columns[coordinates]);
        trip.pickupLatitude = Double.parseDouble(columns[coordinates + 1]);
        trip.dropoffLongitude = Double.parseDouble(columns[coordinates + 2]);
        trip.dropoffLatitude = Double.parseDouble(columns[coordinates + 3]);
        return trip;
    }

    /** {@code yyyy-MM-dd HH:mm:ss}, taken as UTC. */
    private static long time(String text) {
        return LocalDateTime.parse(text.replace(' ', 'T')).toEpochSecond(ZoneOffset.UTC) * 1000;
    }
}
