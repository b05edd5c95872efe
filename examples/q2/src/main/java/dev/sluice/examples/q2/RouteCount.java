package dev.sluice.examples.q2;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** How many trips of one route ended in a window. */
public class RouteCount {
    /** {@code east.south,east.south} of the first and the last cell. */
    public String route;

    /** End of the window, epoch milliseconds. */
    public long endMs;

    public long trips;

    public RouteCount() {}

    /** More trips come first; among equals the order of the routes' names decides. */
    boolean isAbove(RouteCount other) {
        return trips != other.trips ? trips > other.trips : route.compareTo(other.route) < 0;
    }

    /** {@code fromEast.fromSouth,toEast.toSouth,windowEndMs,rank,trips}. */
    String line(int rank) {
        return route + "," + endMs + "," + rank + "," + trips;
    }

    /** Puts route and window on a count. */
    static final class Stamp extends ProcessWindowFunction<Long, RouteCount, String, TimeWindow> {
        private static final long serialVersionUID = 1;

        @Override
        public void process(String route, Context context, Iterable<Long> counts, Collector<RouteCount> out) {
            RouteCount count = new RouteCount();
            count.route = route;
            count.endMs = context.window().getEnd();
            count.trips = counts.iterator().next();
            out.collect(count);
        }
    }
}
