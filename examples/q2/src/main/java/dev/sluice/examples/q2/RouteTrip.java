package dev.sluice.examples.q2;

/** What the job needs of a trip. */
public class RouteTrip {
    /** {@code east.south,east.south} of the cells where the trip began and ended. */
    public String route;

    /** Epoch milliseconds. */
    public long dropoffTime;

    public RouteTrip() {}

    static RouteTrip of(Journey journey) {
        RouteTrip trip = new RouteTrip();
        trip.route = journey.fromEast + "." + journey.fromSouth + "," + journey.toEast + "." + journey.toSouth;
        trip.dropoffTime = journey.dropoffTime;
        return trip;
    }
}
