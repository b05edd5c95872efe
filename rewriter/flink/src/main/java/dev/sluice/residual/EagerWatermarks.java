package dev.sluice.residual;

import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * The job's own strategy, asked for its watermark after every event instead of by a timer: which events are late does not
 * depend on how fast the machine is.
 */
final class EagerWatermarks<T> implements WatermarkStrategy<T> {
    private static final long serialVersionUID = 1;

    private final WatermarkStrategy<T> strategy;

    EagerWatermarks(WatermarkStrategy<T> strategy) {
        this.strategy = strategy;
    }

    @Override
    public TimestampAssigner<T> createTimestampAssigner(TimestampAssignerSupplier.Context context) {
        return strategy.createTimestampAssigner(context);
    }

    @Override
    public WatermarkGenerator<T> createWatermarkGenerator(WatermarkGeneratorSupplier.Context context) {
        WatermarkGenerator<T> generator = strategy.createWatermarkGenerator(context);
        return new WatermarkGenerator<>() {
            @Override
            public void onEvent(T event, long timeMs, WatermarkOutput output) {
                generator.onEvent(event, timeMs, output);
                generator.onPeriodicEmit(output);
            }

            @Override
            public void onPeriodicEmit(WatermarkOutput output) {
                // Nothing happened since the last event.
            }
        };
    }
}
