package dev.sluice.examples.q2;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The counts of all routes in one window to lines of the ten most frequent, best first. */
final class TopRoutes extends ProcessAllWindowFunction<RouteCount, String, TimeWindow> {
    private static final long serialVersionUID = 1;
    private static final int RANKS = 10;

    @Override
    public void process(Context context, Iterable<RouteCount> counts, Collector<String> out) {
        List<RouteCount> best = new ArrayList<>();
        for (RouteCount count : counts) {
            int rank = best.size();
            while (rank > 0 && count.isAbove(best.get(rank - 1))) {
                rank--;
            }
            best.add(rank, count);
            if (best.size() > RANKS) {
                best.remove(RANKS);
            }
        }
        for (int rank = 0; rank < best.size(); rank++) {
            out.collect(best.get(rank).line(rank + 1));
        }
    }
}
