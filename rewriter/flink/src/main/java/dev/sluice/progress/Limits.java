package dev.sluice.progress;

/**
 * The named bounds of a reader (DESIGN section 8). Times are milliseconds on the partition clock.
 *
 * @param eventTimeOrder pass events on at once, instead of in source order
 * @param declareLostHoles at a limit end the hole as a declared gap, order kept, instead of falling back to event-time
 *     order
 * @param idleAfterMs without a frame with a watermark, until a device holds time back no more
 * @param startGraceMs for which a listed device that was never seen holds time back
 * @param holeLimitMs since the frontier last advanced, until a hole is given up
 * @param silentHoleLimitMs the same where the device sends nothing at all
 * @param settleMs from a device's first frame, where reading started without state behind a trimmed prefix
 * @param maxAheadMs by which a watermark may be ahead of its frame's append time
 * @param heldBytes of held frames per partition
 * @param maxIntervals of the coverage of one incarnation
 * @param maxClosed incarnations per device whose coverage is kept
 */
public record Limits(
        boolean eventTimeOrder,
        boolean declareLostHoles,
        long idleAfterMs,
        long startGraceMs,
        long holeLimitMs,
        long silentHoleLimitMs,
        long settleMs,
        long maxAheadMs,
        long heldBytes,
        int maxIntervals,
        int maxClosed) {
    /** The defaults of DESIGN section 8. */
    public static Limits defaults() {
        return new Limits(false, false, 30_000, 60_000, 600_000, 120_000, 60_000, 3_600_000, 64L << 20, 10_000, 1_000);
    }

    /** The same limits with another {@code idleAfterMs}. */
    public Limits withIdleAfterMs(long idleAfterMs) {
        return new Limits(
                eventTimeOrder,
                declareLostHoles,
                idleAfterMs,
                startGraceMs,
                holeLimitMs,
                silentHoleLimitMs,
                settleMs,
                maxAheadMs,
                heldBytes,
                maxIntervals,
                maxClosed);
    }
}
