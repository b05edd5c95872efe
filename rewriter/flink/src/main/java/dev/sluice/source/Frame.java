package dev.sluice.source;

import dev.sluice.progress.FrameKind;
import dev.sluice.progress.PartitionProgress;
import dev.sluice.progress.Previous;

/**
 * A decoded frame.
 *
 * @param previous null where there is none
 * @param watermarkMs epoch ms, or {@link PartitionProgress#NO_WATERMARK}
 */
record Frame(
        FrameKind kind,
        String device,
        long incarnation,
        Previous previous,
        long first,
        long last,
        long watermarkMs,
        Events events) {}
