package dev.sluice.progress;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The union of the ranges passed on of one incarnation, as a TCP receiver keeps it with selective acknowledgements; with
 * each interval the highest watermark in it.
 */
public final class Coverage {
    private record Interval(long last, long watermarkMs) {}

    private final TreeMap<Long, Interval> intervals = new TreeMap<>();
    private long base;

    /** The first seq that is waited for: 0, but where reading started behind a trimmed prefix. */
    public long base() {
        return base;
    }

    void setBase(long base) {
        this.base = base;
    }

    /** Covers {@code range}, in which the watermark was justified, and returns the parts not covered before, ascending. */
    public List<SeqRange> add(SeqRange range, long watermarkMs) {
        List<SeqRange> uncovered = uncovered(range);
        long first = range.first();
        long last = range.last();
        long highest = watermarkMs;
        Map<Long, Interval> touching = overlapping(range.first() - 1, range.last() + 1);
        for (Map.Entry<Long, Interval> entry : touching.entrySet()) {
            first = Math.min(first, entry.getKey());
            last = Math.max(last, entry.getValue().last());
            highest = Math.max(highest, entry.getValue().watermarkMs());
        }
        touching.clear();
        intervals.put(first, new Interval(last, highest));
        return uncovered;
    }

    /** The parts of {@code range} that are not covered, ascending. */
    public List<SeqRange> uncovered(SeqRange range) {
        List<SeqRange> parts = new ArrayList<>(1);
        long next = range.first();
        for (Map.Entry<Long, Interval> entry :
                overlapping(range.first(), range.last()).entrySet()) {
            if (next < entry.getKey()) {
                parts.add(new SeqRange(next, entry.getKey() - 1));
            }
            next = Math.max(next, entry.getValue().last() + 1);
        }
        if (next <= range.last()) {
            parts.add(new SeqRange(next, range.last()));
        }
        return parts;
    }

    /** Whether every seq of {@code range} is covered. */
    public boolean covers(SeqRange range) {
        Map.Entry<Long, Interval> at = intervals.floorEntry(range.first());
        return at != null && at.getValue().last() >= range.last();
    }

    /** The end of the contiguous part from the base on; {@code base - 1} where the base is not covered. */
    public long frontier() {
        Map.Entry<Long, Interval> atBase = intervals.floorEntry(base);
        return atBase == null ? base - 1 : Math.max(base - 1, atBase.getValue().last());
    }

    /** The highest watermark added with a range of the interval that ends at the frontier. */
    public long frontierWatermarkMs() {
        Map.Entry<Long, Interval> atBase = intervals.floorEntry(base);
        boolean reaches = atBase != null && atBase.getValue().last() >= base - 1;
        return reaches ? atBase.getValue().watermarkMs() : PartitionProgress.NO_WATERMARK;
    }

    /** The highest watermark of all intervals. */
    public long highestWatermarkMs() {
        long highest = PartitionProgress.NO_WATERMARK;
        for (Interval interval : intervals.values()) {
            highest = Math.max(highest, interval.watermarkMs());
        }
        return highest;
    }

    /** The highest covered seq, -1 if there is none. */
    public long highest() {
        return intervals.isEmpty() ? -1 : intervals.lastEntry().getValue().last();
    }

    /** The number of seqs missing from the frontier up to {@code last}. */
    public long missing(long last) {
        long frontier = frontier();
        long missing = 0;
        if (frontier < last) {
            for (SeqRange hole : uncovered(new SeqRange(frontier + 1, last))) {
                missing += hole.length();
            }
        }
        return missing;
    }

    /** The number of intervals: what this coverage costs. */
    public int intervalCount() {
        return intervals.size();
    }

    /** The oldest hole in front of an interval, null if there is none. */
    SeqRange oldestHole() {
        Map.Entry<Long, Interval> oldest = intervals.firstEntry();
        if (oldest == null) {
            return null;
        }
        if (oldest.getKey() > base) {
            return new SeqRange(base, oldest.getKey() - 1);
        }
        Long next = intervals.higherKey(oldest.getKey());
        return next == null ? null : new SeqRange(oldest.getValue().last() + 1, next - 1);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(base);
        out.writeInt(intervals.size());
        for (Map.Entry<Long, Interval> entry : intervals.entrySet()) {
            out.writeLong(entry.getKey());
            out.writeLong(entry.getValue().last());
            out.writeLong(entry.getValue().watermarkMs());
        }
    }

    static Coverage read(DataInput in) throws IOException {
        Coverage coverage = new Coverage();
        coverage.base = in.readLong();
        for (int count = in.readInt(); count > 0; count--) {
            coverage.intervals.put(in.readLong(), new Interval(in.readLong(), in.readLong()));
        }
        return coverage;
    }

    /** A view of the intervals that overlap {@code first..last}. */
    private Map<Long, Interval> overlapping(long first, long last) {
        Map.Entry<Long, Interval> before = intervals.floorEntry(first);
        long from = before != null && before.getValue().last() >= first ? before.getKey() : first;
        return intervals.subMap(from, true, last, true);
    }
}
