package dev.sluice.progress;

import java.util.List;

/**
 * One step of the reader. The state has changed when an action is handed out: perform it before the next snapshot.
 *
 * @param <T> the caller's handle of a frame
 */
public sealed interface Action<T> {
    /** The device that the action is about. */
    String device();

    /**
     * Pass on those events of the frame whose seq is in {@code ranges} (ascending), and no others.
     *
     * @param lateSeqs how many of these seqs belong to a closed incarnation or lie below the base
     */
    record Pass<T>(String device, long incarnation, T frame, List<SeqRange> ranges, long lateSeqs)
            implements Action<T> {}

    /** Forget the frame: nothing of it is passed on. */
    record Drop<T>(String device, long incarnation, T frame, DropReason reason) implements Action<T> {}

    /** These seqs will not be waited for, and count as a gap. */
    record Gap<T>(String device, long incarnation, List<SeqRange> ranges, GapReason reason) implements Action<T> {}

    /** The incarnation opened: every older one is closed. */
    record Opened<T>(String device, long incarnation) implements Action<T> {}

    /** The device went to event-time order and holds time back no more. */
    record FellBack<T>(String device, GiveUpReason reason) implements Action<T> {}

    /** The device is in source order again, and counts. */
    record Returned<T>(String device) implements Action<T> {}

    /** The device has settled: {@code base} is the first seq that is waited for. */
    record Settled<T>(String device, long incarnation, long base) implements Action<T> {}

    /** The device left at its frontier. */
    record Left<T>(String device) implements Action<T> {}

    /** Why a frame is dropped. */
    enum DropReason {
        /** All its seqs are covered. */
        DUPLICATE,
        /** Its incarnation was forgotten. */
        FORGOTTEN
    }

    /** Why seqs are given up. */
    enum GapReason {
        /** By a gap frame. */
        DECLARED,
        /** At the hole limit or the held-bytes bound, where event-time order is refused. */
        LOST,
        /** At the bound of intervals. */
        INTERVALS
    }

    /** Which bound a device reached. */
    enum GiveUpReason {
        /** The frontier did not advance for the hole limit. */
        HOLE_LIMIT,
        /** It held most when the held-bytes bound was reached. */
        HELD_BYTES
    }
}
