package dev.sluice.examples.q3;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * A household's loads of one day to a line with their mean, and one for each spike, which is a load
 * above one and a half times that mean.
 *
 * <p>Some editions repeat rows where two files were put together. A half hour counts once, with the
 * highest of its loads; how many were left out is said. Sums are of whole milliwatts, so their order
 * does not matter.
 */
final class DailySpikes extends ProcessWindowFunction<Load, String, String, TimeWindow> {
    private static final long serialVersionUID = 1;

    @Override
    public void process(String household, Context context, Iterable<Load> loads, Collector<String> out) {
        Map<Long, Long> milliwatts = new TreeMap<>();
        int received = 0;
        for (Load load : loads) {
            milliwatts.merge(load.time, Math.round(load.watts * 1000), Math::max);
            received++;
        }
        int count = milliwatts.size();
        long sum = 0;
        for (long load : milliwatts.values()) {
            sum += load;
        }
        long mean = sum / count;
        out.collect(household + "," + context.window().getStart() + "," + count + "," + (received - count) + "," + sum
                + "," + mean);
        for (Map.Entry<Long, Long> load : milliwatts.entrySet()) {
            if (load.getValue() * count * 2 > sum * 3) {
                out.collect("SPIKE," + household + "," + load.getKey() + "," + load.getValue() + "," + mean);
            }
        }
    }

    /** The household of a line. */
    static String householdOf(String line) {
        String[] values = line.split(",", 3);
        return values[0].equals("SPIKE") ? values[1] : values[0];
    }
}
