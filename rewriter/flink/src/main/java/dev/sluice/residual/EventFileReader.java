package dev.sluice.residual;

import dev.sluice.avro.AvroInput;
import dev.sluice.codec.ValueCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.UserCodeClassLoader;

/** Reads an {@link EventFile} entry by entry. */
final class EventFileReader<T> implements SourceReader<T, EventFileSource.NoSplit> {
    private final Path file;
    private final ValueCodec codec;
    private final DeserializationSchema<T> parser;
    private final boolean watermarks;
    private final SourceReaderContext context;
    private EventFile.Reader entries;

    EventFileReader(
            Path file,
            ValueCodec codec,
            DeserializationSchema<T> parser,
            boolean watermarks,
            SourceReaderContext context) {
        this.file = file;
        this.codec = codec;
        this.parser = parser;
        this.watermarks = watermarks;
        this.context = context;
    }

    @Override
    public void start() {
        try {
            if (parser != null) {
                parser.open(new Initialization(context));
            }
            entries = new EventFile.Reader(file);
        } catch (Exception e) {
            throw new IllegalStateException("can't begin to read " + file + ": " + e, e);
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws IOException {
        EventFile.Entry entry = entries.next();
        if (entry instanceof EventFile.Event event) {
            emit(event, output);
        } else if (entry instanceof EventFile.Watermark watermark && watermarks) {
            output.emitWatermark(new Watermark(watermark.ms()));
        }
        return entry == null ? InputStatus.END_OF_INPUT : InputStatus.MORE_AVAILABLE;
    }

    @SuppressWarnings("unchecked") // The codec is of T where there is no parser.
    private void emit(EventFile.Event event, ReaderOutput<T> output) throws IOException {
        Object value = event.value() == null ? null : codec.decode(new AvroInput(event.value(), 0));
        if (parser == null) {
            emit((T) value, event.timeMs(), output);
            return;
        }
        parser.deserialize((byte[]) value, new Collector<>() {
            @Override
            public void collect(T parsed) {
                emit(parsed, event.timeMs(), output);
            }

            @Override
            public void close() {}
        });
    }

    private static <T> void emit(T value, Long timeMs, ReaderOutput<T> output) {
        if (timeMs == null) {
            output.collect(value);
        } else {
            output.collect(value, timeMs);
        }
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public List<EventFileSource.NoSplit> snapshotState(long checkpointId) {
        return List.of();
    }

    @Override
    public void addSplits(List<EventFileSource.NoSplit> splits) {
        // There are none.
    }

    @Override
    public void notifyNoMoreSplits() {
        // There were none.
    }

    @Override
    public void close() throws IOException {
        if (entries != null) {
            entries.close();
        }
    }

    private record Initialization(SourceReaderContext context) implements DeserializationSchema.InitializationContext {
        @Override
        public MetricGroup getMetricGroup() {
            return context.metricGroup();
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return context.getUserCodeClassLoader();
        }
    }
}
