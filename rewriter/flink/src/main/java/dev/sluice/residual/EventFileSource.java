package dev.sluice.residual;

import dev.sluice.codec.ValueCodec;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The events of a file, in its order and by a single reader: it has no splits.
 *
 * @param <T> the events' type
 */
final class EventFileSource<T> implements Source<T, EventFileSource.NoSplit, EventFileSource.NoState> {
    private static final long serialVersionUID = 1;

    private final String file;
    private final TypeInformation<?> type;
    private final String schema;
    private final DeserializationSchema<T> parser;
    private final boolean watermarks;

    /**
     * @param type of the values in the file
     * @param schema their Avro schema, JSON
     * @param parser of the job's source: makes events of the file's values, which are bytes then; null for none
     * @param watermarks whether those in the file count, and not those of the job's strategy
     */
    EventFileSource(
            Path file, TypeInformation<?> type, String schema, DeserializationSchema<T> parser, boolean watermarks) {
        this.file = file.toString();
        this.type = type;
        this.schema = schema;
        this.parser = parser;
        this.watermarks = watermarks;
        codec();
    }

    private ValueCodec codec() {
        return ValueCodec.of(type, new Schema.Parser().parse(schema));
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<T, NoSplit> createReader(SourceReaderContext context) {
        return new EventFileReader<>(Path.of(file), codec(), parser, watermarks, context);
    }

    @Override
    public SplitEnumerator<NoSplit, NoState> createEnumerator(SplitEnumeratorContext<NoSplit> context) {
        return new NoEnumerator();
    }

    @Override
    public SplitEnumerator<NoSplit, NoState> restoreEnumerator(SplitEnumeratorContext<NoSplit> context, NoState state) {
        return new NoEnumerator();
    }

    @Override
    public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
        return new NothingSerializer<>(new NoSplit());
    }

    @Override
    public SimpleVersionedSerializer<NoState> getEnumeratorCheckpointSerializer() {
        return new NothingSerializer<>(new NoState());
    }

    /** There is none. */
    record NoSplit() implements SourceSplit {
        @Override
        public String splitId() {
            return "none";
        }
    }

    /** Nothing to remember. */
    record NoState() {}

    private record NothingSerializer<N>(N nothing) implements SimpleVersionedSerializer<N> {
        @Override
        public int getVersion() {
            return 0;
        }

        @Override
        public byte[] serialize(N nothing) {
            return new byte[0];
        }

        @Override
        public N deserialize(int version, byte[] bytes) {
            return nothing;
        }
    }

    private static final class NoEnumerator implements SplitEnumerator<NoSplit, NoState> {
        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<NoSplit> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        @Override
        public NoState snapshotState(long checkpointId) {
            return new NoState();
        }

        @Override
        public void close() {}
    }
}
