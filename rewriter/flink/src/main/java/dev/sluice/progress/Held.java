package dev.sluice.progress;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The frames of a device that were read but not passed, of all incarnations, in the order in which they will be passed. In
 * event-time order, and for the moment between arrival and passing, a frame that need not wait is here too.
 */
final class Held<T> {
    /** Data goes before a gap, so that a gap never covers seqs that are at hand. */
    enum Kind {
        DATA,
        GAP
    }

    /** @param ordinal order of arrival */
    record Key(long incarnation, long first, Kind kind, long ordinal) {}

    static final class Frame<T> {
        final long last;
        final long bytes;
        final long offset;
        /** Seqs below this one were late when the frame arrived. */
        final long lateBelow;

        final T handle;
        long watermarkMs;

        Frame(long last, long bytes, long offset, long lateBelow, T handle, long watermarkMs) {
            this.last = last;
            this.bytes = bytes;
            this.offset = offset;
            this.lateBelow = lateBelow;
            this.handle = handle;
            this.watermarkMs = watermarkMs;
        }
    }

    private static final Comparator<Key> ORDER = Comparator.comparingLong(Key::incarnation)
            .thenComparingLong(Key::first)
            .thenComparing(Key::kind)
            .thenComparingLong(Key::ordinal);

    private final TreeMap<Key, Frame<T>> frames = new TreeMap<>(ORDER);
    private long bytes;
    private long arrivals;

    void push(long incarnation, long first, Kind kind, Frame<T> frame) {
        arrivals++;
        bytes += frame.bytes;
        frames.put(new Key(incarnation, first, kind, arrivals), frame);
    }

    Frame<T> remove(Key key) {
        Frame<T> frame = frames.remove(key);
        bytes -= frame.bytes;
        return frame;
    }

    int size() {
        return frames.size();
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    long earliestOffset() {
        long earliest = Long.MAX_VALUE;
        for (Frame<T> frame : frames.values()) {
            earliest = Math.min(earliest, frame.offset);
        }
        return earliest;
    }

    /** The first frame in (incarnation, first) order, null if nothing is held. */
    Key first() {
        return frames.isEmpty() ? null : frames.firstKey();
    }

    /** The first frame of the incarnation that begins at or below {@code seq}, data before gaps; null if there is none. */
    Key beginningBy(long incarnation, long seq) {
        Key gap = null;
        for (Key key : of(incarnation, Long.MIN_VALUE).keySet()) {
            if (key.first() > seq) {
                break;
            }
            if (key.kind() == Kind.DATA) {
                return key;
            }
            gap = gap == null ? key : gap;
        }
        return gap;
    }

    /** Where the next data frame of the incarnation behind {@code seq} begins, {@code Long.MAX_VALUE} if there is none. */
    long nextDataFirst(long incarnation, long seq) {
        for (Key key : of(incarnation, seq + 1).keySet()) {
            if (key.kind() == Kind.DATA) {
                return key.first();
            }
        }
        return Long.MAX_VALUE;
    }

    /** Where the next frame of the incarnation behind {@code seq} begins, {@code Long.MAX_VALUE} if there is none. */
    long nextFirst(long incarnation, long seq) {
        for (Key key : of(incarnation, seq + 1).keySet()) {
            return key.first();
        }
        return Long.MAX_VALUE;
    }

    /** A data frame that holds all of {@code range} already, null if there is none. */
    Frame<T> holderOf(long incarnation, SeqRange range) {
        Map.Entry<Key, Frame<T>> before =
                frames.floorEntry(new Key(incarnation, range.first(), Kind.DATA, Long.MAX_VALUE));
        boolean holds = before != null
                && before.getKey().incarnation() == incarnation
                && before.getKey().kind() == Kind.DATA
                && before.getValue().last >= range.last();
        return holds ? before.getValue() : null;
    }

    private Map<Key, Frame<T>> of(long incarnation, long first) {
        return frames.subMap(
                new Key(incarnation, first, Kind.DATA, 0),
                true,
                new Key(incarnation + 1, Long.MIN_VALUE, Kind.DATA, 0),
                false);
    }
}
