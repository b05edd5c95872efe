package dev.sluice.progress;

import dev.sluice.progress.Action.GapReason;
import dev.sluice.progress.Action.GiveUpReason;
import dev.sluice.progress.DeviceProgress.Mode;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** What follows when a device's frames or limits moved: the steps of one device, one at a time. */
final class DeviceSteps<T> {
    private final DeviceProgress<T> device;
    private final Limits limits;
    private long clockMs;

    DeviceSteps(DeviceProgress<T> device, Limits limits) {
        this.device = device;
        this.limits = limits;
    }

    DeviceProgress<T> device() {
        return device;
    }

    /** The next action, or null until the next input. */
    Action<T> next(long clockMs) {
        this.clockMs = clockMs;
        while (device.pending.isEmpty() && advance()) {
            // One step at a time, until one of them is worth an action.
        }
        return device.pending.poll();
    }

    /** Checks the limits of the device; true if one was reached. */
    boolean expire(long clockMs) {
        boolean due = false;
        if (device.isSettling()) {
            due = clockMs >= device.settlesAtMs && device.opening == DeviceProgress.NONE;
        } else if (device.mode == Mode.ORDERLY && device.hasHole()) {
            long stuckMs = clockMs - device.stuckSinceMs;
            long silentMs = Math.min(stuckMs, clockMs - device.lastSeenMs);
            due = stuckMs >= limits.holeLimitMs() || silentMs >= limits.silentHoleLimitMs();
        }
        if (due) {
            giveUp(GiveUpReason.HOLE_LIMIT, clockMs);
        }
        return due;
    }

    /** Stops waiting. A hole that follows gets a limit of its own: after a restore its frames are read again first. */
    void giveUp(GiveUpReason reason, long clockMs) {
        device.stuckSinceMs = clockMs;
        if (device.isSettling()) {
            device.opening = device.incarnations.lastKey();
        } else if (limits.declareLostHoles()) {
            device.mode = Mode.DECLARING_GAPS;
        } else {
            device.mode = Mode.FALLEN_BACK;
            device.fallbacks++;
            device.pending.add(new Action.FellBack<>(device.device, reason));
        }
    }

    /** Does the first thing that can be done; false if there is none. */
    private boolean advance() {
        Held.Key key = passable();
        if (key != null) {
            pass(key);
            return true;
        }
        if (device.isSettling() && device.opening == DeviceProgress.NONE) {
            return false;
        }
        keepPromises();
        return openNext() || giveUpHole() || returnToOrder() || leaveAtFrontier() || forgetOldest();
    }

    /** The held frame whose turn it is. */
    private Held.Key passable() {
        Held.Key first = device.held.first();
        if (first == null) {
            return null;
        }
        boolean ofOlder = device.isClosed(first.incarnation()) || device.isClosing(first.incarnation());
        boolean atOnce = !device.isSettling() && (limits.eventTimeOrder() || device.mode == Mode.FALLEN_BACK);
        if (ofOlder || atOnce) {
            return first;
        }
        IncarnationProgress open = device.openIncarnation();
        return open == null ? null : device.held.beginningBy(device.open, open.coverage.frontier() + 1);
    }

    /** Passes a held frame: its events, its coverage and its watermark in one step. */
    private void pass(Held.Key key) {
        long number = key.incarnation();
        Held.Frame<T> frame = device.held.remove(key);
        if (key.kind() == Held.Kind.GAP) {
            passGap(key, frame);
        } else {
            List<SeqRange> ranges = cover(number, new SeqRange(key.first(), frame.last), frame.watermarkMs);
            if (ranges.isEmpty()) {
                device.dropDuplicate(number, frame.handle);
            } else {
                if (frame.watermarkMs != PartitionProgress.NO_WATERMARK) {
                    device.holdTimeUntil(clockMs + limits.idleAfterMs());
                }
                long late = 0;
                for (SeqRange range : ranges) {
                    late += Math.max(0, Math.min(frame.lateBelow, range.last() + 1) - range.first());
                }
                device.lateSeqs += late;
                device.pending.add(new Action.Pass<>(device.device, number, frame.handle, ranges, late));
            }
        }
        boundIntervals(number);
    }

    /** A gap is cut where the next data frame begins, so that it never covers what is at hand. */
    private void passGap(Held.Key key, Held.Frame<T> gap) {
        long number = key.incarnation();
        long nextData = device.held.nextDataFirst(number, key.first());
        if (nextData <= gap.last) {
            declareGap(number, new SeqRange(key.first(), nextData - 1), GapReason.DECLARED);
            device.held.push(number, nextData, Held.Kind.GAP, gap);
        } else {
            SeqRange range = new SeqRange(key.first(), gap.last);
            declareGap(number, range, GapReason.DECLARED);
            cover(number, range, gap.watermarkMs);
        }
    }

    /** Adds a range to the coverage; returns what was not covered before. */
    private List<SeqRange> cover(long number, SeqRange range, long watermarkMs) {
        Coverage coverage = device.incarnations.get(number).coverage;
        long before = coverage.frontier();
        List<SeqRange> uncovered = coverage.add(range, watermarkMs);
        if (device.open == number && coverage.frontier() > before) {
            device.stuckSinceMs = clockMs;
        }
        device.countWatermark(number, range, watermarkMs);
        return uncovered;
    }

    private void declareGap(long number, SeqRange range, GapReason reason) {
        List<SeqRange> ranges = cover(number, range, PartitionProgress.NO_WATERMARK);
        if (!ranges.isEmpty()) {
            for (SeqRange gap : ranges) {
                device.gapSeqs += gap.length();
            }
            device.pending.add(new Action.Gap<>(device.device, number, ranges, reason));
        }
    }

    private void boundIntervals(long number) {
        Coverage coverage = device.incarnations.get(number).coverage;
        while (coverage.intervalCount() > limits.maxIntervals()) {
            SeqRange hole = coverage.oldestHole();
            if (hole == null) {
                return;
            }
            declareGap(number, hole, GapReason.INTERVALS);
        }
    }

    private void keepPromises() {
        IncarnationProgress open = device.openIncarnation();
        if (open != null) {
            device.watermarkMs = Math.max(device.watermarkMs, open.keptPromises());
        }
    }

    /** Opens the incarnation whose turn it is, once nothing is held of the older ones. */
    private boolean openNext() {
        if (device.opening != DeviceProgress.NONE) {
            long number = device.opening;
            device.opening = DeviceProgress.NONE;
            open(number);
            return true;
        }
        NavigableMap<Long, IncarnationProgress> waiting = device.waiting();
        if (waiting.isEmpty()) {
            return false;
        }
        if (device.mode == Mode.FALLEN_BACK) {
            device.opening = waiting.lastKey();
            return true;
        }
        for (Map.Entry<Long, IncarnationProgress> entry : waiting.entrySet()) {
            if (isContinuedBy(entry.getValue())) {
                device.opening = entry.getKey();
                return true;
            }
        }
        return false;
    }

    /** Whether everything before the incarnation was passed. */
    private boolean isContinuedBy(IncarnationProgress incarnation) {
        Previous previous = incarnation.previous;
        if (previous == null) {
            return incarnation.previousKnown;
        }
        return device.isClosed(previous.incarnation())
                || previous.incarnation() <= device.forgotten
                || (device.open == previous.incarnation()
                        && device.openIncarnation().coverage.frontier() >= previous.end());
    }

    private void open(long number) {
        for (IncarnationProgress older : device.incarnations.headMap(number).values()) {
            device.watermarkMs = Math.max(device.watermarkMs, older.coverage.highestWatermarkMs());
        }
        device.open = number;
        device.stuckSinceMs = clockMs;
        device.mayForget = true;
        IncarnationProgress incarnation = device.incarnations.get(number);
        if (device.isSettling()) {
            long highest = incarnation.coverage.highest();
            long base = (highest < 0 ? incarnation.named : highest) + 1;
            incarnation.coverage.setBase(base);
            device.mode = Mode.ORDERLY;
            device.pending.add(new Action.Settled<>(device.device, number, base));
        } else {
            device.pending.add(new Action.Opened<>(device.device, number));
        }
        device.watermarkMs = Math.max(device.watermarkMs, incarnation.coverage.frontierWatermarkMs());
    }

    /** While gaps are being declared: ends the first hole. */
    private boolean giveUpHole() {
        if (device.mode != Mode.DECLARING_GAPS) {
            return false;
        }
        IncarnationProgress open = device.openIncarnation();
        if (open != null && open.hasHole()) {
            long first = open.coverage.frontier() + 1;
            long last = Math.min(open.named, device.held.nextFirst(device.open, first) - 1);
            declareGap(device.open, new SeqRange(first, last), GapReason.LOST);
            boundIntervals(device.open);
            return true;
        }
        Map.Entry<Long, IncarnationProgress> next = device.waiting().firstEntry();
        if (next == null) {
            device.mode = Mode.ORDERLY;
            return false;
        }
        Previous previous = next.getValue().previous;
        if (open != null && previous != null && previous.incarnation() == device.open) {
            open.named = Math.max(open.named, previous.end());
        } else {
            device.opening = next.getKey();
        }
        return true;
    }

    private boolean returnToOrder() {
        boolean returns = device.mode == Mode.FALLEN_BACK && !device.hasHole();
        if (returns) {
            device.mode = Mode.ORDERLY;
            device.pending.add(new Action.Returned<>(device.device));
        }
        return returns;
    }

    private boolean leaveAtFrontier() {
        boolean leaves =
                !device.left && device.leave != null && device.leave.incarnation() == device.open && !device.hasHole();
        if (leaves) {
            device.left = true;
            device.pending.add(new Action.Left<>(device.device));
        }
        return leaves;
    }

    /** Forgets a closed incarnation beyond those that are kept, one without holes first. */
    private boolean forgetOldest() {
        if (!device.mayForget || device.open == DeviceProgress.NONE) {
            return false;
        }
        NavigableMap<Long, IncarnationProgress> closed = device.incarnations.headMap(device.open, false);
        if (closed.size() <= limits.maxClosed()) {
            device.mayForget = false;
            return false;
        }
        long oldest = closed.firstKey();
        for (Map.Entry<Long, IncarnationProgress> entry : closed.entrySet()) {
            if (!entry.getValue().hasHole()) {
                oldest = entry.getKey();
                break;
            }
        }
        device.incarnations.remove(oldest);
        device.forgotten = Math.max(device.forgotten, oldest);
        return true;
    }
}
