package dev.sluice.equivalence;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** A line per sensor and window: how many readings, and the sum of their values in thousandths. */
public class CountPerWindow extends ProcessWindowFunction<Reading, String, String, TimeWindow> {
    private static final long serialVersionUID = 1;

    @Override
    public void process(String sensor, Context context, Iterable<Reading> readings, Collector<String> out) {
        long count = 0;
        long thousandths = 0;
        for (Reading reading : readings) {
            count++;
            thousandths += Math.round(reading.valueOrZero() * 1000);
        }
        out.collect(sensor + " " + context.window().getStart() + ": " + count + ", " + thousandths);
    }
}
