package dev.sluice.progress;

/**
 * What the algebra must know of a frame.
 *
 * @param previous null where there is none
 * @param first first seq; {@code last + 1} in heartbeats and leaves
 * @param last last seq, inclusive
 * @param watermarkMs epoch ms, or {@link PartitionProgress#NO_WATERMARK}. Of a frame that the caller cuts into slices,
 *     only the last slice keeps it.
 * @param bytes what the frame costs in memory while it is held
 * @param appendTimeMs the broker's append time, epoch ms
 * @param offset the record's offset: a checkpoint must not start behind it while the frame is held
 * @param nextOffset where reading goes on once this frame is passed: {@code offset + 1}, but {@code offset} for a slice
 *     that is not the last one of its record
 */
public record FrameInfo(
        FrameKind kind,
        String device,
        long incarnation,
        Previous previous,
        long first,
        long last,
        long watermarkMs,
        long bytes,
        long appendTimeMs,
        long offset,
        long nextOffset) {}
