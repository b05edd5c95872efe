package dev.sluice.source;

import dev.sluice.progress.SeqRange;
import java.util.Arrays;
import java.util.List;

/**
 * Decoded events of a frame, ascending by seq; the handle of a slice while it is held. Several events may have one seq.
 *
 * @param body the record they were read from
 * @param from index of the slice's first event in the arrays
 * @param to index behind its last
 * @param seqs of the events
 * @param times epoch ms, {@link #NO_TIME} where there is none
 * @param values null for null
 * @param starts where each event's value starts in {@code body}
 * @param ends where it ends, exclusive
 */
record Events(byte[] body, int from, int to, long[] seqs, long[] times, Object[] values, int[] starts, int[] ends) {
    /** An event without a time. */
    static final long NO_TIME = Long.MIN_VALUE;

    /** No events. */
    static final Events NONE =
            new Events(new byte[0], 0, 0, new long[0], new long[0], new Object[0], new int[0], new int[0]);

    /** The same arrays, another part of them. */
    Events slice(int from, int to) {
        return new Events(body, from, to, seqs, times, values, starts, ends);
    }

    /** The indices of the events whose seq is in one of the ranges, which are ascending. */
    int[] in(List<SeqRange> ranges) {
        int[] indices = new int[to - from];
        int count = 0;
        int at = from;
        for (SeqRange range : ranges) {
            while (at < to && seqs[at] < range.first()) {
                at++;
            }
            while (at < to && seqs[at] <= range.last()) {
                indices[count++] = at++;
            }
        }
        return count == indices.length ? indices : Arrays.copyOf(indices, count);
    }
}
