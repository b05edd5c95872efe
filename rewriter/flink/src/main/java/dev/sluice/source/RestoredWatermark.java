package dev.sluice.source;

import dev.sluice.progress.PartitionProgress;

/**
 * What a reader must emit first after a restore: the lowest that any of its splits saw emitted. Idle splits count only when
 * there are no others, and then the highest of them does.
 */
final class RestoredWatermark {
    private long lowestActiveMs = Long.MAX_VALUE;
    private long highestIdleMs = PartitionProgress.NO_WATERMARK;

    /** Adds a restored or a new split. */
    void add(FrameSplit split, FrameSplitState state) {
        if (split.progress() != null && state.progress().isIdle()) {
            highestIdleMs = Math.max(highestIdleMs, split.emittedMs());
        } else {
            lowestActiveMs = Math.min(lowestActiveMs, split.emittedMs());
        }
    }

    /** Epoch ms, or {@link PartitionProgress#NO_WATERMARK}. */
    long toEmitMs() {
        return lowestActiveMs == Long.MAX_VALUE ? highestIdleMs : lowestActiveMs;
    }
}
