package dev.sluice.host;

import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * The job's watermark strategy: gives each event its time, and each frame the watermark that its events justify (DESIGN section 3).
 * What is bounded is computed from the frame alone. A generator of the user's is kept from frame to frame; in another chain, or
 * after the process was started again, it begins anew and then falls short for a while.
 */
abstract class AssignerStep implements Step {
    private final TimestampAssigner<Object> assigner;

    private AssignerStep(TimestampAssigner<Object> assigner) {
        this.assigner = assigner;
    }

    /**
     * @param function the strategy
     * @param bounded whether the watermark is the highest time less the bound and 1
     */
    @SuppressWarnings("unchecked")
    static AssignerStep of(Object function, boolean bounded, long boundMs, Surroundings surroundings) {
        WatermarkStrategy<Object> strategy = (WatermarkStrategy<Object>) function;
        TimestampAssigner<Object> assigner = strategy.createTimestampAssigner(surroundings);
        return bounded
                ? new Bounded(assigner, boundMs)
                : new Custom(assigner, strategy.createWatermarkGenerator(surroundings));
    }

    /** Begins a frame. */
    abstract void beginFrame();

    /** Begins an event, which may be tried more than once. */
    void beginEvent() {}

    /** The watermark of the frame, {@link Step#NO_TIME} where there is none. */
    abstract long watermark();

    /** An event got its time. */
    abstract void seen(Object value, long time);

    /** The event's time from now on. */
    final long assign(Object value, long time) {
        long assigned = assigner.extractTimestamp(value, time);
        seen(value, assigned);
        return assigned;
    }

    @Override
    public final void run(Object value, long time, Output out) {
        out.setTime(assign(value, time));
        out.collect(value);
    }

    private static final class Bounded extends AssignerStep {
        private final long boundMs;
        private long highest;

        Bounded(TimestampAssigner<Object> assigner, long boundMs) {
            super(assigner);
            this.boundMs = boundMs;
        }

        @Override
        void beginFrame() {
            highest = NO_TIME;
        }

        @Override
        void seen(Object value, long time) {
            highest = Math.max(highest, time);
        }

        @Override
        long watermark() {
            long least = NO_TIME + boundMs + 1;
            return highest <= least ? NO_TIME : highest - boundMs - 1;
        }
    }

    private static final class Custom extends AssignerStep implements WatermarkOutput {
        private final WatermarkGenerator<Object> generator;
        private long watermark = NO_TIME;
        private boolean seenBefore;

        Custom(TimestampAssigner<Object> assigner, WatermarkGenerator<Object> generator) {
            super(assigner);
            this.generator = generator;
        }

        @Override
        void beginFrame() {}

        @Override
        void beginEvent() {
            seenBefore = false;
        }

        @Override
        void seen(Object value, long time) {
            if (!seenBefore) {
                seenBefore = true;
                generator.onEvent(value, time, this);
            }
        }

        @Override
        long watermark() {
            generator.onPeriodicEmit(this);
            return watermark;
        }

        @Override
        public void emitWatermark(Watermark emitted) {
            watermark = Math.max(watermark, emitted.getTimestamp());
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}
    }
}
