package dev.sluice.source;

import dev.sluice.progress.Action;
import dev.sluice.progress.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.core.io.InputStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes on what the splits' states decide, and sets the watermark on the main output. */
final class FrameSourceReader<T> extends SingleThreadMultiplexSourceReaderBase<Item, T, FrameSplit, FrameSplitState> {
    private static final Logger LOG = LoggerFactory.getLogger(FrameSourceReader.class);
    private static final long REFRESH_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FrameEmitter<T> emitter;
    private final SideTopics sideTopics;
    private final OffsetCommitter offsets;
    private final FrameSourceMetrics metrics;
    private final Limits limits;
    private final Map<String, FrameSplitState> splits = new LinkedHashMap<>();
    private final ReaderWatermark watermark = new ReaderWatermark();
    private RestoredWatermark restored = new RestoredWatermark();
    private FrameSplitState fed;
    private boolean assigned;
    private long refreshedAtNanos = System.nanoTime();

    FrameSourceReader(
            Supplier<SplitReader<Item, FrameSplit>> splitReader,
            FrameEmitter<T> emitter,
            SideTopics sideTopics,
            OffsetCommitter offsets,
            FrameSourceMetrics metrics,
            Limits limits,
            SourceReaderContext context) {
        super(splitReader, emitter, new Configuration(), context);
        this.emitter = emitter;
        this.sideTopics = sideTopics;
        this.offsets = offsets;
        this.metrics = metrics;
        this.limits = limits;
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
        if (restored != null && !splits.isEmpty()) {
            watermark.restore(restored.toEmitMs(), output);
            restored = null;
        }
        InputStatus status = InputStatus.MORE_AVAILABLE;
        if (fed == null) {
            status = super.pollNext(output);
            fed = emitter.takeFed();
        }
        if (fed != null) {
            if (perform(output)) {
                return InputStatus.MORE_AVAILABLE;
            }
            fed.advance();
            watermark.update(splits.values(), output);
            fed = null;
            refreshMetrics();
        } else if (assigned && splits.isEmpty()) {
            watermark.markIdle(output);
        }
        return status;
    }

    /** Performs actions of the fed split, a slice's worth of events at most; whether there may be more. */
    private boolean perform(ReaderOutput<T> output) throws IOException {
        int emitted = 0;
        while (emitted < FrameSlicer.EVENTS) {
            Action<Events> action = fed.progress().next();
            if (action == null) {
                return false;
            }
            emitted += perform(action, output);
        }
        return true;
    }

    private int perform(Action<Events> action, ReaderOutput<T> output) throws IOException {
        if (action instanceof Action.Pass<Events> pass) {
            return pass(pass, output);
        } else if (action instanceof Action.Drop<Events> drop) {
            (drop.reason() == Action.DropReason.DUPLICATE ? metrics.duplicates : metrics.forgotten).inc();
        } else if (action instanceof Action.Gap<Events> gap) {
            gap.ranges().forEach(range -> metrics.gapSeqs.inc(range.length()));
            LOG.warn(
                    "device {} incarnation {}: seqs {} are given up: {}",
                    gap.device(),
                    gap.incarnation(),
                    gap.ranges(),
                    gap.reason());
        } else if (action instanceof Action.FellBack<Events> fallback) {
            metrics.fallbacks.inc();
            LOG.warn("device {} goes to event-time order: {}", fallback.device(), fallback.reason());
        } else {
            LOG.info("{}", action);
        }
        return 0;
    }

    @SuppressWarnings("unchecked") // The decoder was made for T.
    private int pass(Action.Pass<Events> pass, ReaderOutput<T> output) throws IOException {
        Events events = pass.frame();
        int[] passed = events.in(pass.ranges());
        for (int index : passed) {
            long timeMs = events.times()[index];
            T value = (T) events.values()[index];
            if (timeMs == Events.NO_TIME) {
                output.collect(value);
            } else {
                output.collect(value, timeMs);
                if (timeMs <= watermark.emittedMs()) {
                    metrics.late(pass.device());
                    sideTopics.late(pass.device(), pass.incarnation(), events, index, watermark.emittedMs());
                }
            }
        }
        metrics.passed(passed.length);
        metrics.closedSeqs.inc(pass.lateSeqs());
        return passed.length;
    }

    private void refreshMetrics() {
        if (System.nanoTime() - refreshedAtNanos >= REFRESH_EVERY_NANOS) {
            refreshedAtNanos = System.nanoTime();
            metrics.refresh(splits.values(), watermark.emittedMs());
        }
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof SplitsAssigned) {
            assigned = true;
            splitFetcherManager.getQueue().notifyAvailable();
        } else {
            super.handleSourceEvents(event);
        }
    }

    @Override
    protected FrameSplitState initializedState(FrameSplit split) {
        FrameSplitState state = new FrameSplitState(split, limits);
        splits.put(split.splitId(), state);
        if (restored != null) {
            restored.add(split, state);
        }
        return state;
    }

    @Override
    protected FrameSplit toSplitType(String splitId, FrameSplitState state) {
        return state.snapshot(watermark.emittedMs());
    }

    @Override
    protected void onSplitFinished(Map<String, FrameSplitState> finished) {
        throw new IllegalStateException("a split of an endless topic finished: " + finished.keySet());
    }

    @Override
    public List<FrameSplit> snapshotState(long checkpointId) {
        try {
            sideTopics.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<FrameSplit> snapshot = super.snapshotState(checkpointId);
        offsets.remember(checkpointId, snapshot);
        return snapshot;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        offsets.commit(checkpointId);
    }

    @Override
    public void close() throws Exception {
        super.close();
        sideTopics.close();
        offsets.close();
    }
}
