package dev.sluice.progress;

import dev.sluice.progress.Action.GiveUpReason;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reader's state of one partition (one split). Feed it {@link #frame}, {@link #skipped} and {@link #tick}, and after
 * each perform what {@link #next} returns until it is null; a snapshot may be taken between any two actions. Frames wait
 * here, with the caller's handle, until they may be passed on.
 *
 * <pre>{@code
 * progress.frame(info, events);
 * for (Action<T> a = progress.next(); a != null; a = progress.next()) perform(a);
 * emit(progress.advanceWatermark(), progress.isIdle());
 * }</pre>
 *
 * @param <T> the caller's handle of a frame
 */
public final class PartitionProgress<T> {
    /** No watermark yet. */
    public static final long NO_WATERMARK = Long.MIN_VALUE;

    /** No time yet. */
    static final long NO_TIME = Long.MIN_VALUE;

    /** The highest legal seq: leaves room for arithmetic. */
    private static final long MAX_SEQ = 1L << 62;

    private static final int SNAPSHOT_VERSION = 1;

    private final Limits limits;
    /** Whether reading began without state behind a trimmed prefix. */
    private final boolean trimmed;

    private final List<DeviceSteps<T>> devices = new ArrayList<>();
    private final Map<String, DeviceSteps<T>> byName = new HashMap<>();
    /** Devices that may have something to do. */
    private final ArrayDeque<DeviceSteps<T>> ready = new ArrayDeque<>();

    private long nextOffset;
    /** The partition clock: the highest append time processed; it runs on only while the partition is read to its end. */
    private long clockMs = NO_TIME;
    /** No record was read yet: the partition clock is the reader's, which may be off. */
    private boolean provisional;
    /** The reader's clock, and the partition clock, when the end was last reached. */
    private long anchorNowMs = NO_TIME;

    private long anchorClockMs = NO_TIME;
    private long watermarkMs = NO_WATERMARK;
    private long heldBytes;

    /**
     * A partition that is read for the first time.
     *
     * @param startOffset where reading starts
     * @param trimmed whether records before {@code startOffset} existed: devices then settle from their first frame
     */
    public PartitionProgress(Limits limits, long startOffset, boolean trimmed) {
        this.limits = limits;
        this.nextOffset = startOffset;
        this.trimmed = trimmed;
    }

    /** A partition as {@link #snapshot} wrote it. Reading starts at its {@link #checkpointOffset}. */
    public static <T> PartitionProgress<T> restore(Limits limits, DataInput in) throws IOException {
        int version = in.readInt();
        if (version != SNAPSHOT_VERSION) {
            throw new IOException("progress snapshot of version " + version + ", known is " + SNAPSHOT_VERSION);
        }
        PartitionProgress<T> progress = new PartitionProgress<>(limits, in.readLong(), in.readBoolean());
        progress.clockMs = in.readLong();
        progress.watermarkMs = in.readLong();
        for (int count = in.readInt(); count > 0; count--) {
            progress.add(DeviceProgress.read(progress.nextOffset, progress.clockMs, limits, in));
        }
        if (progress.clockMs == NO_TIME) {
            progress.stopClock();
        }
        return progress;
    }

    /** Writes the state: coverage, clock, watermarks; held frames are not part of it, they are read again. */
    public void snapshot(DataOutput out) throws IOException {
        out.writeInt(SNAPSHOT_VERSION);
        out.writeLong(checkpointOffset());
        out.writeBoolean(trimmed);
        out.writeLong(provisional ? NO_TIME : clockMs);
        out.writeLong(watermarkMs);
        out.writeInt(devices.size());
        for (DeviceSteps<T> steps : devices) {
            steps.device().write(out);
        }
    }

    /** The device is listed as joined on this partition: it holds time back for the start grace. Idempotent. */
    public void joined(String device) {
        steps(device).device().join(clockMs, limits);
    }

    /** The device is listed as left, or not listed any more. If it was never seen, it holds time back no more. */
    public void left(String device) {
        DeviceSteps<T> steps = byName.get(device);
        if (steps != null) {
            steps.device().unlist();
        }
    }

    /**
     * The next record, in the order of the partition, is this frame.
     *
     * @param handle comes back in a {@code Pass} or {@code Drop}; of other kinds than {@code DATA} it is forgotten, and may
     *     be null
     * @return false if the frame is malformed: then only clock and offset went on
     */
    public boolean frame(FrameInfo frame, T handle) {
        skipped(frame.appendTimeMs(), frame.nextOffset());
        if (!isWellFormed(frame)) {
            return false;
        }
        DeviceSteps<T> steps = steps(frame.device());
        long before = steps.device().held.bytes();
        steps.device().arrive(frame, handle, clockMs, limits, trimmed);
        heldBytes += steps.device().held.bytes() - before;
        ready.add(steps);
        return true;
    }

    /** The next record is no frame and names no range: only clock and offset go on. */
    public void skipped(long appendTimeMs, long nextOffset) {
        this.nextOffset = Math.max(this.nextOffset, nextOffset);
        if (provisional) {
            provisional = false;
            stopClock();
        }
        runClockTo(appendTimeMs);
    }

    /**
     * Time goes on.
     *
     * @param nowMs the reader's clock; only differences between calls matter
     * @param readToEnd whether at that time the partition was proved to be read to its end, by asking for the end offset
     */
    public void tick(long nowMs, boolean readToEnd) {
        if (readToEnd) {
            if (clockMs == NO_TIME) {
                provisional = true;
                runClockTo(nowMs);
            } else if (anchorNowMs != NO_TIME) {
                runClockTo(anchorClockMs + (nowMs - anchorNowMs));
            }
            anchorNowMs = nowMs;
            anchorClockMs = clockMs;
        }
        if (clockMs == NO_TIME) {
            return;
        }
        for (DeviceSteps<T> steps : devices) {
            if (steps.expire(clockMs)) {
                ready.add(steps);
            }
        }
    }

    /** The next action, or null when there is nothing to do until the next input. */
    public Action<T> next() {
        long clock = clockMs == NO_TIME ? 0 : clockMs;
        while (true) {
            while (!ready.isEmpty()) {
                DeviceSteps<T> steps = ready.peek();
                long before = steps.device().held.bytes();
                Action<T> action = steps.next(clock);
                heldBytes += steps.device().held.bytes() - before;
                if (action != null) {
                    return action;
                }
                ready.remove();
            }
            if (heldBytes <= limits.heldBytes()) {
                return null;
            }
            DeviceSteps<T> largest = largestHolder();
            largest.giveUp(GiveUpReason.HELD_BYTES, clock);
            ready.add(largest);
        }
    }

    /**
     * Raises the partition's watermark to the minimum over its active devices, and returns it: what may be emitted now. It
     * never falls; while the partition {@link #isIdle} it stands.
     */
    public long advanceWatermark() {
        long minimumMs = Long.MAX_VALUE;
        boolean idle = true;
        for (DeviceSteps<T> steps : devices) {
            if (steps.device().isActive(clockMs)) {
                idle = false;
                minimumMs = Math.min(minimumMs, steps.device().watermarkMs);
            }
        }
        if (!idle) {
            watermarkMs = Math.max(watermarkMs, minimumMs);
        }
        return watermarkMs;
    }

    /** The watermark as {@link #advanceWatermark} last returned it; after a restore this is to be emitted first. */
    public long watermark() {
        return watermarkMs;
    }

    /** Whether no device holds time back. */
    public boolean isIdle() {
        for (DeviceSteps<T> steps : devices) {
            if (steps.device().isActive(clockMs)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Where reading must start after a restore: the earliest held frame, or the first word of an incarnation that waits,
     * else the next record.
     */
    public long checkpointOffset() {
        long earliest = nextOffset;
        for (DeviceSteps<T> steps : devices) {
            earliest = Math.min(earliest, steps.device().earliestOffset());
        }
        return earliest;
    }

    /** Bytes of all held frames. */
    public long heldBytes() {
        return heldBytes;
    }

    /** State and counters of one device, null if it is not known. */
    public DeviceMetrics metrics(String device) {
        DeviceSteps<T> steps = byName.get(device);
        return steps == null ? null : steps.device().metrics(clockMs);
    }

    /** State and counters of every device. */
    public List<DeviceMetrics> metrics() {
        List<DeviceMetrics> all = new ArrayList<>(devices.size());
        for (DeviceSteps<T> steps : devices) {
            all.add(steps.device().metrics(clockMs));
        }
        return all;
    }

    private DeviceSteps<T> steps(String device) {
        DeviceSteps<T> steps = byName.get(device);
        return steps == null ? add(new DeviceProgress<>(device)) : steps;
    }

    private DeviceSteps<T> add(DeviceProgress<T> device) {
        DeviceSteps<T> steps = new DeviceSteps<>(device, limits);
        devices.add(steps);
        byName.put(device.device, steps);
        return steps;
    }

    /** The last one of those that hold most, as in the twin. */
    private DeviceSteps<T> largestHolder() {
        DeviceSteps<T> largest = null;
        for (DeviceSteps<T> steps : devices) {
            if (largest == null
                    || steps.device().held.bytes() >= largest.device().held.bytes()) {
                largest = steps;
            }
        }
        return largest;
    }

    /** Forgets times that were not the broker's: the clock starts, and graces begin, with the first record. */
    private void stopClock() {
        clockMs = NO_TIME;
        anchorNowMs = NO_TIME;
        for (DeviceSteps<T> steps : devices) {
            steps.device().holdsUntilMs = NO_TIME;
        }
    }

    private void runClockTo(long timeMs) {
        if (clockMs == NO_TIME) {
            for (DeviceSteps<T> steps : devices) {
                if (steps.device().holdsUntilMs == NO_TIME) {
                    steps.device().holdTimeUntil(timeMs + limits.startGraceMs());
                }
            }
        }
        clockMs = Math.max(clockMs, timeMs);
    }

    /** Whether an agent could have written these numbers. */
    private static boolean isWellFormed(FrameInfo frame) {
        boolean range = frame.kind() == FrameKind.HEARTBEAT || frame.kind() == FrameKind.LEAVE
                ? frame.last() >= -1
                : 0 <= frame.first() && frame.first() <= frame.last();
        Previous previous = frame.previous();
        boolean chain = previous == null
                || (0 <= previous.incarnation()
                        && previous.incarnation() < frame.incarnation()
                        && previous.end() >= -1
                        && previous.end() <= MAX_SEQ);
        return range && chain && frame.last() <= MAX_SEQ && frame.incarnation() >= 0;
    }
}
