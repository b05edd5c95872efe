package dev.sluice.source;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Writes down what a reader emits, in order: values as they print, {@code W<ms>}, {@code idle}, {@code active}. */
final class FakeOutput implements ReaderOutput<Frames.Num> {
    final List<String> emitted = new ArrayList<>();

    @Override
    public void collect(Frames.Num value) {
        emitted.add(value + "@none");
    }

    @Override
    public void collect(Frames.Num value, long timestamp) {
        emitted.add(String.valueOf(value));
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        emitted.add("W" + watermark.getTimestamp());
    }

    @Override
    public void markIdle() {
        emitted.add("idle");
    }

    @Override
    public void markActive() {
        emitted.add("active");
    }

    @Override
    public SourceOutput<Frames.Num> createOutputForSplit(String splitId) {
        return this;
    }

    @Override
    public void releaseOutputForSplit(String splitId) {}

    /** What was emitted since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(emitted);
        emitted.clear();
        return taken;
    }
}
