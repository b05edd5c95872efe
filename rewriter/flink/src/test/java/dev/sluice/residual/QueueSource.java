package dev.sluice.residual;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** A source that never ends, of what a test puts into a queue; its state is how much it read. */
public final class QueueSource<T> implements Source<T, QueueSource.Position, Boolean> {
    private static final long serialVersionUID = 1;
    private static final Map<String, BlockingQueue<Object>> QUEUES = new ConcurrentHashMap<>();

    private final String name;

    public QueueSource(String name) {
        this.name = name;
    }

    /** What the sources of this name read. */
    static BlockingQueue<Object> queue(String name) {
        return QUEUES.computeIfAbsent(name, none -> new LinkedBlockingQueue<>());
    }

    /** How many events were read. */
    record Position(int read) implements SourceSplit {
        @Override
        public String splitId() {
            return "queue";
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<T, Position> createReader(SourceReaderContext context) {
        return new Reader<>(queue(name));
    }

    @Override
    public SplitEnumerator<Position, Boolean> createEnumerator(SplitEnumeratorContext<Position> context) {
        return new Enumerator(context, false);
    }

    @Override
    public SplitEnumerator<Position, Boolean> restoreEnumerator(
            SplitEnumeratorContext<Position> context, Boolean assigned) {
        return new Enumerator(context, assigned);
    }

    @Override
    public SimpleVersionedSerializer<Position> getSplitSerializer() {
        return new IntSerializer<>() {
            @Override
            int toInt(Position position) {
                return position.read;
            }

            @Override
            Position fromInt(int number) {
                return new Position(number);
            }
        };
    }

    @Override
    public SimpleVersionedSerializer<Boolean> getEnumeratorCheckpointSerializer() {
        return new IntSerializer<>() {
            @Override
            int toInt(Boolean assigned) {
                return assigned ? 1 : 0;
            }

            @Override
            Boolean fromInt(int number) {
                return number == 1;
            }
        };
    }

    private abstract static class IntSerializer<S> implements SimpleVersionedSerializer<S> {
        abstract int toInt(S state);

        abstract S fromInt(int number);

        @Override
        public int getVersion() {
            return 0;
        }

        @Override
        public byte[] serialize(S state) {
            return ByteBuffer.allocate(Integer.BYTES).putInt(toInt(state)).array();
        }

        @Override
        public S deserialize(int version, byte[] bytes) {
            return fromInt(ByteBuffer.wrap(bytes).getInt());
        }
    }

    private static final class Enumerator implements SplitEnumerator<Position, Boolean> {
        private final SplitEnumeratorContext<Position> context;
        private final Queue<Position> unassigned = new ArrayDeque<>();

        Enumerator(SplitEnumeratorContext<Position> context, boolean assigned) {
            this.context = context;
            if (!assigned) {
                unassigned.add(new Position(0));
            }
        }

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Position> splits, int subtask) {
            unassigned.addAll(splits);
        }

        @Override
        public void addReader(int subtask) {
            if (!unassigned.isEmpty()) {
                context.assignSplit(unassigned.remove(), subtask);
            }
        }

        @Override
        public Boolean snapshotState(long checkpointId) {
            return unassigned.isEmpty();
        }

        @Override
        public void close() {}
    }

    private static final class Reader<T> implements SourceReader<T, Position> {
        private final BlockingQueue<Object> queue;
        private Position position;

        Reader(BlockingQueue<Object> queue) {
            this.queue = queue;
        }

        @Override
        public void start() {}

        @Override
        @SuppressWarnings("unchecked")
        public InputStatus pollNext(ReaderOutput<T> output) throws InterruptedException {
            Object event = position == null ? null : queue.poll(5, TimeUnit.MILLISECONDS);
            if (event != null) {
                position = new Position(position.read + 1);
                output.collect((T) event);
            }
            return InputStatus.MORE_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public List<Position> snapshotState(long checkpointId) {
            return position == null ? List.of() : List.of(position);
        }

        @Override
        public void addSplits(List<Position> splits) {
            position = splits.get(0);
        }

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }
}
