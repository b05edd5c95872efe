package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** A generator of the user's own: a watermark at each time that ends in the tenth of a second, none by the clock. */
final class EveryTenth<T> implements WatermarkGenerator<T> {
    private long highest = Long.MIN_VALUE;

    static <T> WatermarkStrategy<T> strategy() {
        return WatermarkStrategy.forGenerator(context -> new EveryTenth<T>());
    }

    @Override
    public void onEvent(T event, long time, WatermarkOutput output) {
        if (time > highest && time % 1000 < 100) {
            highest = time;
            output.emitWatermark(new Watermark(time - 3000));
        }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
        // All is said by the events.
    }
}
