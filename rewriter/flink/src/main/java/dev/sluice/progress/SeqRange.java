package dev.sluice.progress;

/** A closed, non-empty range of seqs. */
public record SeqRange(long first, long last) {
    public SeqRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException("not a range of seqs: " + first + ".." + last);
        }
    }

    /** The number of seqs in the range. */
    public long length() {
        return last - first + 1;
    }
}
