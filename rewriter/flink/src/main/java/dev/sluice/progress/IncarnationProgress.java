package dev.sluice.progress;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;

/** One run of an input on a device, as the reader sees it. */
final class IncarnationProgress {
    /**
     * Heartbeats that wait for the frontier: the oldest, so that a frontier which is always a little behind still reaches
     * one, and the newest.
     */
    private static final int MAX_PROMISES = 2;

    private record Promise(long last, long watermarkMs) {}

    final Coverage coverage;
    /** Offset of the first record that named it: while it waits, reading starts no later. */
    final long mentionedAt;
    /** The highest {@code last} that any frame named. */
    long named = -1;
    /** Whether {@link #previous} was told. */
    boolean previousKnown;
    /** Null where there is none. */
    Previous previous;

    private final ArrayDeque<Promise> promises = new ArrayDeque<>(MAX_PROMISES);

    IncarnationProgress(long mentionedAt) {
        this(mentionedAt, new Coverage());
    }

    private IncarnationProgress(long mentionedAt, Coverage coverage) {
        this.mentionedAt = mentionedAt;
        this.coverage = coverage;
    }

    boolean hasHole() {
        return coverage.frontier() < named;
    }

    /** A heartbeat promises a watermark from the moment on that the frontier has reached {@code last}. */
    void promise(long last, long watermarkMs) {
        if (promises.size() == MAX_PROMISES) {
            promises.removeLast();
        }
        promises.addLast(new Promise(last, watermarkMs));
    }

    /** The highest watermark promised for the frontier. */
    long keptPromises() {
        long kept = PartitionProgress.NO_WATERMARK;
        if (!promises.isEmpty()) {
            long frontier = coverage.frontier();
            for (Iterator<Promise> all = promises.iterator(); all.hasNext(); ) {
                Promise promise = all.next();
                if (promise.last() <= frontier) {
                    kept = Math.max(kept, promise.watermarkMs());
                    all.remove();
                }
            }
        }
        return kept;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(named);
        coverage.write(out);
    }

    static IncarnationProgress read(long offset, DataInput in) throws IOException {
        long named = in.readLong();
        IncarnationProgress incarnation = new IncarnationProgress(offset, Coverage.read(in));
        incarnation.named = named;
        return incarnation;
    }
}
