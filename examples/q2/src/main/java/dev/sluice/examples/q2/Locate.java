package dev.sluice.examples.q2;

import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Puts a trip on the {@link Grid}; one that begins or ends beyond it is dropped. */
public final class Locate implements FlatMapFunction<Trip, Journey> {
    private static final long serialVersionUID = 1;

    @Override
    public void flatMap(Trip trip, Collector<Journey> out) {
        Journey journey = new Journey();
        journey.medallion = trip.medallion;
        journey.dropoffTime = trip.dropoffTime;
        journey.miles = trip.miles;
        journey.fromEast = Grid.east(trip.pickupLongitude);
        journey.fromSouth = Grid.south(trip.pickupLatitude);
        journey.toEast = Grid.east(trip.dropoffLongitude);
        journey.toSouth = Grid.south(trip.dropoffLatitude);
        if (Grid.contains(journey.fromEast, journey.fromSouth) && Grid.contains(journey.toEast, journey.toSouth)) {
            out.collect(journey);
        }
    }
}
