package dev.sluice.source;

import dev.sluice.progress.Limits;
import dev.sluice.progress.PartitionProgress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A split while it is read. */
final class FrameSplitState {
    private final FrameSplit origin;
    private final PartitionProgress<Events> progress;
    private boolean listed;
    private boolean idle;

    FrameSplitState(FrameSplit split, Limits limits) {
        this.origin = split;
        this.progress = progress(split, limits);
    }

    private static PartitionProgress<Events> progress(FrameSplit split, Limits limits) {
        if (split.progress() == null) {
            return new PartitionProgress<>(limits, split.offset(), split.offset() > 0);
        }
        try {
            return PartitionProgress.restore(limits, new DataInputStream(new ByteArrayInputStream(split.progress())));
        } catch (IOException e) {
            throw new UncheckedIOException("state of " + split.splitId(), e);
        }
    }

    /** The partition. */
    int partition() {
        return origin.partition();
    }

    /** The reader's state of the partition. */
    PartitionProgress<Events> progress() {
        return progress;
    }

    /** The device list is known; until then nobody can say that no device holds time back. */
    void listed() {
        listed = true;
    }

    /** Takes over what the devices justify now. It looks at each of them, so it is done for a split that was fed only. */
    void advance() {
        progress.advanceWatermark();
        idle = listed && progress.isIdle();
    }

    /** Whether no device holds time back, as of the last {@link #advance}. */
    boolean isIdle() {
        return idle;
    }

    /** The split for a checkpoint. */
    FrameSplit snapshot(long emittedMs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            progress.snapshot(out);
        } catch (IOException e) {
            throw new UncheckedIOException("state of " + origin.splitId(), e);
        }
        return new FrameSplit(
                origin.topic(), origin.partition(), progress.checkpointOffset(), emittedMs, bytes.toByteArray());
    }
}
