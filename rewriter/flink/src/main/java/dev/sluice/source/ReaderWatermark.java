package dev.sluice.source;

import dev.sluice.progress.PartitionProgress;
import java.util.Collection;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * The reader's watermark: the minimum over its active splits, never falling. It goes to the reader's main output; Flink's
 * own outputs per split flush the maximum when all of them go idle, and leave the reader idle for too long afterwards.
 */
final class ReaderWatermark {
    private long emittedMs = PartitionProgress.NO_WATERMARK;
    private boolean idle;

    /** The watermark as emitted, epoch ms, or {@link PartitionProgress#NO_WATERMARK}. */
    long emittedMs() {
        return emittedMs;
    }

    /**
     * Emits again what was emitted before the checkpoint, before any record: else a window that fired and was purged would
     * fire once more. {@code restoredMs} is the lowest over the restored splits.
     */
    void restore(long restoredMs, WatermarkOutput output) {
        raise(restoredMs, output);
    }

    /** Emits what the splits justify now. */
    void update(Collection<FrameSplitState> splits, WatermarkOutput output) {
        long lowest = Long.MAX_VALUE;
        boolean active = false;
        for (FrameSplitState split : splits) {
            if (!split.isIdle()) {
                active = true;
                lowest = Math.min(lowest, split.progress().watermark());
            }
        }
        if (!active) {
            markIdle(output);
            return;
        }
        if (idle) {
            idle = false;
            output.markActive();
        }
        raise(lowest, output);
    }

    /** This reader holds time back no more. */
    void markIdle(WatermarkOutput output) {
        if (!idle) {
            idle = true;
            output.markIdle();
        }
    }

    private void raise(long toMs, WatermarkOutput output) {
        if (toMs > emittedMs) {
            emittedMs = toMs;
            output.emitWatermark(new Watermark(toMs));
        }
    }
}
