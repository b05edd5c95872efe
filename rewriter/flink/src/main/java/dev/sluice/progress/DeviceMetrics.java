package dev.sluice.progress;

/**
 * The state and the counters of one device, for metrics. Counters start at 0 with each restore.
 *
 * @param incarnation the open one, -1 before any opened
 * @param frontier of the open incarnation
 * @param missing named seqs behind the frontier of the open incarnation that are not covered (held ones included), at least
 *     1 while an incarnation waits
 * @param watermarkMs epoch ms or {@link PartitionProgress#NO_WATERMARK}
 * @param active whether the device holds time back
 * @param fallback whether it is in event-time order because a limit was reached
 * @param duplicateFrames frames of which every seq was covered
 * @param lateSeqs seqs passed of closed incarnations or below the base
 * @param gapSeqs seqs given up
 * @param forgottenFrames frames dropped because their incarnation is forgotten
 */
public record DeviceMetrics(
        String device,
        long incarnation,
        long frontier,
        long missing,
        int heldFrames,
        long heldBytes,
        long watermarkMs,
        boolean active,
        boolean fallback,
        long duplicateFrames,
        long lateSeqs,
        long gapSeqs,
        long forgottenFrames,
        long fallbacks) {}
