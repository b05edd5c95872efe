package dev.sluice.source;

import dev.sluice.progress.DeviceMetrics;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * The source's metrics: counters of what it did, gauges of what it holds, and a group {@code device.<name>} for each of the
 * first {@link #MAX_DEVICES} devices (groups can't be removed). Gauges show the state of the last {@link #refresh}, as they
 * are read by other threads.
 */
final class FrameSourceMetrics {
    /** Devices of a reader that have their own series. */
    static final int MAX_DEVICES = 500;

    /** Records that are no frame. */
    final Counter unreadable;

    private final Counter events;

    /** Events passed on behind the emitted watermark. */
    final Counter late;

    /** Frames of which everything was covered. */
    final Counter duplicates;

    /** Frames of forgotten incarnations. */
    final Counter forgotten;

    /** Seqs that a gap ended. */
    final Counter gapSeqs;

    /** Times that a device fell back to event-time order. */
    final Counter fallbacks;

    /** Seqs passed on of closed incarnations. */
    final Counter closedSeqs;

    private final Counter recordsIn;
    private final MetricGroup group;
    private final Map<String, Device> devices = new HashMap<>();
    private volatile long devicesActive;
    private volatile long heldBytes;
    private volatile long missingSeqs;
    private volatile long emittedMs = Long.MIN_VALUE;

    FrameSourceMetrics(SourceReaderMetricGroup reader) {
        this.recordsIn = reader.getIOMetricGroup().getNumRecordsInCounter();
        this.group = reader.addGroup("sluice");
        unreadable = group.counter("unreadableRecords");
        events = group.counter("events");
        late = group.counter("lateEvents");
        duplicates = group.counter("duplicateFrames");
        forgotten = group.counter("forgottenFrames");
        gapSeqs = group.counter("gapSeqs");
        fallbacks = group.counter("fallbacks");
        closedSeqs = group.counter("closedIncarnationSeqs");
        group.gauge("activeDevices", () -> devicesActive);
        group.gauge("heldBytes", () -> heldBytes);
        group.gauge("missingSeqs", () -> missingSeqs);
        group.gauge("emittedWatermark", () -> emittedMs);
    }

    /** An item was read, which is no event: the base class has counted it as one. */
    void itemRead() {
        recordsIn.dec();
    }

    /** Events were passed on. */
    void passed(long count) {
        recordsIn.inc(count);
        events.inc(count);
    }

    /** Counts an event behind the watermark. */
    void late(String device) {
        late.inc();
        Device series = series(device);
        if (series != null) {
            series.late.inc();
        }
    }

    /** Takes over the state of the splits. */
    void refresh(Collection<FrameSplitState> splits, long emittedMs) {
        long active = 0;
        long held = 0;
        long missing = 0;
        for (FrameSplitState split : splits) {
            held += split.progress().heldBytes();
            for (DeviceMetrics device : split.progress().metrics()) {
                active += device.active() ? 1 : 0;
                missing += device.missing();
                Device series = series(device.device());
                if (series != null) {
                    series.state = device;
                }
            }
        }
        devicesActive = active;
        heldBytes = held;
        missingSeqs = missing;
        this.emittedMs = emittedMs;
    }

    private Device series(String device) {
        Device series = devices.get(device);
        if (series == null && devices.size() < MAX_DEVICES) {
            series = new Device(group.addGroup("device", device));
            devices.put(device, series);
        }
        return series;
    }

    /** The series of one device. */
    private static final class Device {
        private final Counter late;
        private volatile DeviceMetrics state;

        Device(MetricGroup group) {
            late = group.counter("lateEvents");
            group.gauge("incarnation", () -> state == null ? -1L : state.incarnation());
            group.gauge("frontier", () -> state == null ? -1L : state.frontier());
            group.gauge("missingSeqs", () -> state == null ? 0L : state.missing());
            group.gauge("heldFrames", () -> state == null ? 0L : (long) state.heldFrames());
            group.gauge("heldBytes", () -> state == null ? 0L : state.heldBytes());
            group.gauge("watermark", () -> state == null ? Long.MIN_VALUE : state.watermarkMs());
            group.gauge("active", () -> state != null && state.active() ? 1 : 0);
            group.gauge("duplicateFrames", () -> state == null ? 0L : state.duplicateFrames());
            group.gauge("gapSeqs", () -> state == null ? 0L : state.gapSeqs());
        }
    }
}
