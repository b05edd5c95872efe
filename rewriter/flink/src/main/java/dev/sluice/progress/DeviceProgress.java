package dev.sluice.progress;

import static dev.sluice.progress.PartitionProgress.NO_TIME;
import static dev.sluice.progress.PartitionProgress.NO_WATERMARK;

import dev.sluice.progress.Action.DropReason;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** One device of a partition: its incarnations, what is held of them, its watermark, and how a frame arrives. */
final class DeviceProgress<T> {
    /** How far a device is trusted to fill its holes. */
    enum Mode {
        /** Holes are waited for. */
        ORDERLY,
        /** Reading began behind a trimmed prefix: everything is held until {@link #settlesAtMs}. */
        SETTLING,
        /** A limit was reached: events are passed as they come, and the watermark does not count. */
        FALLEN_BACK,
        /** A limit was reached where order is kept: every hole known now becomes a gap. */
        DECLARING_GAPS
    }

    /** No incarnation. */
    static final long NONE = -1;

    final String device;
    final Held<T> held = new Held<>();
    final ArrayDeque<Action<T>> pending = new ArrayDeque<>();
    /** Closed ones, the open one, waiting ones. */
    final TreeMap<Long, IncarnationProgress> incarnations = new TreeMap<>();

    long open = NONE;
    /** The incarnation that opens as soon as the held frames of the older ones are passed. */
    long opening = NONE;
    /** The highest forgotten incarnation. */
    long forgotten = NONE;

    Mode mode = Mode.ORDERLY;
    long settlesAtMs;
    boolean left;
    /** A leave that waits for the frontier, null if there is none. */
    Leave leave;
    /** Never falls, and is kept from incarnation to incarnation. */
    long watermarkMs = NO_WATERMARK;
    /** Until when on the partition clock the device holds time back without a hole; none before the clock started. */
    long holdsUntilMs = NO_TIME;
    /** Append time of the newest sign of life. */
    long lastSeenMs = NO_TIME;
    /** When the frontier last advanced, or the hole began. */
    long stuckSinceMs;
    /** Whether the number of closed incarnations grew. */
    boolean mayForget;

    long duplicateFrames;
    long lateSeqs;
    long gapSeqs;
    long forgottenFrames;
    long fallbacks;

    /** On the device list. Membership itself changes in-band. */
    private boolean listed;

    record Leave(long incarnation, long last) {}

    DeviceProgress(String device) {
        this.device = device;
    }

    /** The device list names it: a never-seen device holds time back from now on for the start grace. */
    void join(long clockMs, Limits limits) {
        if (!listed) {
            listed = true;
            left = false;
            leave = null;
            if (clockMs != NO_TIME) {
                holdTimeUntil(clockMs + limits.startGraceMs());
            }
        }
    }

    /** The device list names it no more. A device that was seen leaves in-band, at its frontier. */
    void unlist() {
        listed = false;
        left |= lastSeenMs == NO_TIME;
    }

    void holdTimeUntil(long timeMs) {
        holdsUntilMs = Math.max(holdsUntilMs, timeMs);
    }

    /** Takes a well-formed frame in. What follows from it comes out of {@link DeviceSteps}. */
    void arrive(FrameInfo frame, T handle, long clockMs, Limits limits, boolean trimmed) {
        boolean hadHole = hasHole();
        noteSignOfLife(frame, clockMs, limits, trimmed);
        if (admit(frame)) {
            take(frame, handle, limits);
        } else if (frame.kind() == FrameKind.DATA || frame.kind() == FrameKind.GAP) {
            forgottenFrames++;
            pending.add(new Action.Drop<>(device, frame.incarnation(), handle, DropReason.FORGOTTEN));
        }
        if (!hadHole && hasHole()) {
            stuckSinceMs = clockMs;
        }
    }

    private void noteSignOfLife(FrameInfo frame, long clockMs, Limits limits, boolean trimmed) {
        if (lastSeenMs == NO_TIME) {
            holdTimeUntil(clockMs + limits.idleAfterMs());
            if (trimmed) {
                mode = Mode.SETTLING;
                settlesAtMs = clockMs + limits.settleMs();
            }
        }
        lastSeenMs = Math.max(lastSeenMs, frame.appendTimeMs());
        boolean back = leave == null
                || frame.incarnation() > leave.incarnation()
                || (frame.incarnation() == leave.incarnation() && frame.last() > leave.last());
        if (back) {
            left = false;
            leave = null;
        }
    }

    /** Sees to it that state of the frame's incarnation is kept; false if there will be none. */
    private boolean admit(FrameInfo frame) {
        IncarnationProgress incarnation = incarnations.get(frame.incarnation());
        if (incarnation == null) {
            boolean ranged = frame.kind() == FrameKind.DATA || frame.kind() == FrameKind.GAP;
            boolean older = frame.incarnation() < open;
            if (frame.incarnation() <= forgotten || (older && !ranged)) {
                return false;
            }
            mayForget |= older;
            incarnation = new IncarnationProgress(frame.offset());
            incarnations.put(frame.incarnation(), incarnation);
        }
        if (!incarnation.previousKnown && frame.kind() != FrameKind.UNREADABLE) {
            incarnation.previousKnown = true;
            incarnation.previous = frame.previous();
        }
        incarnation.named = Math.max(incarnation.named, frame.last());
        return true;
    }

    private void take(FrameInfo frame, T handle, Limits limits) {
        long watermark = Math.min(frame.watermarkMs(), frame.appendTimeMs() + limits.maxAheadMs());
        switch (frame.kind()) {
            case DATA -> takeData(frame, watermark, handle);
            case GAP -> hold(frame, Held.Kind.GAP, watermark, handle);
            case LEAVE -> leave = new Leave(frame.incarnation(), frame.last());
            case HEARTBEAT -> {
                if (watermark != NO_WATERMARK) {
                    incarnations.get(frame.incarnation()).promise(frame.last(), watermark);
                }
            }
            case UNREADABLE -> {}
        }
    }

    private void takeData(FrameInfo frame, long watermark, T handle) {
        SeqRange range = new SeqRange(frame.first(), frame.last());
        long number = frame.incarnation();
        Coverage coverage = incarnations.get(number).coverage;
        Held.Frame<T> holder = held.holderOf(number, range);
        if (coverage.covers(range)) {
            coverage.add(range, watermark);
            countWatermark(number, range, watermark);
            dropDuplicate(number, handle);
        } else if (holder != null) {
            holder.watermarkMs = Math.max(holder.watermarkMs, watermark);
            dropDuplicate(number, handle);
        } else {
            hold(frame, Held.Kind.DATA, watermark, handle);
        }
    }

    private void hold(FrameInfo frame, Held.Kind kind, long watermark, T handle) {
        long number = frame.incarnation();
        long lateBelow = isClosed(number)
                ? Long.MAX_VALUE
                : incarnations.get(number).coverage.base();
        held.push(
                number,
                frame.first(),
                kind,
                new Held.Frame<>(frame.last(), frame.bytes(), frame.offset(), lateBelow, handle, watermark));
    }

    void dropDuplicate(long incarnation, T frame) {
        duplicateFrames++;
        pending.add(new Action.Drop<>(device, incarnation, frame, DropReason.DUPLICATE));
    }

    /** Lets a watermark of {@code range}, which is covered now, count as far as it may. */
    void countWatermark(long number, SeqRange range, long watermark) {
        if (isClosed(number) || isClosing(number)) {
            watermarkMs = Math.max(watermarkMs, watermark);
        } else if (open == number) {
            Coverage coverage = incarnations.get(number).coverage;
            if (range.last() <= coverage.frontier()) {
                watermarkMs = Math.max(watermarkMs, watermark);
            }
            watermarkMs = Math.max(watermarkMs, coverage.frontierWatermarkMs());
        }
    }

    boolean isClosed(long number) {
        return number < open;
    }

    /** Whether the held frames of the incarnation are being passed because a newer one opens or the device settles. */
    boolean isClosing(long number) {
        return opening != NONE && (number < opening || isSettling());
    }

    boolean isSettling() {
        return mode == Mode.SETTLING;
    }

    /** The incarnations newer than the open one, ascending. */
    NavigableMap<Long, IncarnationProgress> waiting() {
        return incarnations.tailMap(open, false);
    }

    /** Null before any opened. */
    IncarnationProgress openIncarnation() {
        return open == NONE ? null : incarnations.get(open);
    }

    /** Whether something that was named is not covered: a waiting incarnation counts as a hole. */
    boolean hasHole() {
        IncarnationProgress current = openIncarnation();
        return (current != null && current.hasHole()) || incarnations.higherKey(open) != null;
    }

    /** Whether the device holds time back. */
    boolean isActive(long clockMs) {
        if (left || mode == Mode.FALLEN_BACK) {
            return false;
        }
        boolean recent = clockMs == NO_TIME || holdsUntilMs == NO_TIME || clockMs < holdsUntilMs;
        return recent || isSettling() || hasHole() || !held.isEmpty();
    }

    /**
     * The earliest record that must be read again after a restore: of a held frame, or the one that named a waiting
     * incarnation; {@code Long.MAX_VALUE} if there is none.
     */
    long earliestOffset() {
        long earliest = held.earliestOffset();
        for (IncarnationProgress incarnation : waiting().values()) {
            earliest = Math.min(earliest, incarnation.mentionedAt);
        }
        return earliest;
    }

    DeviceMetrics metrics(long clockMs) {
        IncarnationProgress current = openIncarnation();
        long missing = current == null ? 0 : current.coverage.missing(current.named);
        return new DeviceMetrics(
                device,
                open,
                current == null ? -1 : current.coverage.frontier(),
                Math.max(missing, waiting().isEmpty() ? 0 : 1),
                held.size(),
                held.bytes(),
                watermarkMs,
                isActive(clockMs),
                mode == Mode.FALLEN_BACK,
                duplicateFrames,
                lateSeqs,
                gapSeqs,
                forgottenFrames,
                fallbacks);
    }

    /** Writes the state without held frames. Of incarnations of which nothing was passed the frames are read again. */
    void write(DataOutput out) throws IOException {
        out.writeUTF(device);
        out.writeBoolean(listed);
        out.writeBoolean(left);
        out.writeBoolean(leave != null);
        if (leave != null) {
            out.writeLong(leave.incarnation());
            out.writeLong(leave.last());
        }
        out.writeBoolean(mode == Mode.FALLEN_BACK);
        out.writeBoolean(isSettling());
        out.writeLong(open);
        out.writeLong(forgotten);
        out.writeLong(watermarkMs);
        out.writeLong(holdsUntilMs);
        out.writeLong(lastSeenMs);
        out.writeLong(stuckSinceMs);
        TreeMap<Long, IncarnationProgress> kept = new TreeMap<>(incarnations);
        kept.tailMap(open, false).values().removeIf(waiting -> waiting.coverage.intervalCount() == 0);
        out.writeInt(kept.size());
        for (Map.Entry<Long, IncarnationProgress> entry : kept.entrySet()) {
            out.writeLong(entry.getKey());
            entry.getValue().write(out);
        }
    }

    /** A device that settles gets its whole time again, in which its frames are read again. */
    static <T> DeviceProgress<T> read(long offset, long clockMs, Limits limits, DataInput in) throws IOException {
        DeviceProgress<T> device = new DeviceProgress<>(in.readUTF());
        device.listed = in.readBoolean();
        device.left = in.readBoolean();
        device.leave = in.readBoolean() ? new Leave(in.readLong(), in.readLong()) : null;
        boolean fallenBack = in.readBoolean();
        boolean settling = in.readBoolean();
        device.mode = settling ? Mode.SETTLING : fallenBack ? Mode.FALLEN_BACK : Mode.ORDERLY;
        device.settlesAtMs = (clockMs == NO_TIME ? 0 : clockMs) + limits.settleMs();
        device.open = in.readLong();
        device.forgotten = in.readLong();
        device.watermarkMs = in.readLong();
        device.holdsUntilMs = in.readLong();
        device.lastSeenMs = in.readLong();
        device.stuckSinceMs = in.readLong();
        device.mayForget = true;
        for (int count = in.readInt(); count > 0; count--) {
            device.incarnations.put(in.readLong(), IncarnationProgress.read(offset, in));
        }
        return device;
    }
}
