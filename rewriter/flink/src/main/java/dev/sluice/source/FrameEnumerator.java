package dev.sluice.source;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;

/** Gives each partition to one reader, once; the number of partitions is fixed at deployment. */
final class FrameEnumerator implements SplitEnumerator<FrameSplit, FrameEnumeratorState> {
    private final SplitEnumeratorContext<FrameSplit> context;
    private final Callable<List<FrameSplit>> discover;
    private final List<FrameSplit> unassigned;
    private boolean discovered;

    /**
     * @param discover makes a split of each partition of the topic
     */
    FrameEnumerator(
            SplitEnumeratorContext<FrameSplit> context,
            Callable<List<FrameSplit>> discover,
            FrameEnumeratorState state) {
        this.context = context;
        this.discover = discover;
        this.discovered = state.discovered();
        this.unassigned = new ArrayList<>(state.unassigned());
    }

    @Override
    public void start() {
        if (!discovered) {
            context.callAsync(discover, this::discovered);
        }
    }

    private void discovered(List<FrameSplit> splits, Throwable error) {
        if (error != null) {
            throw new FlinkRuntimeException("the partitions of the frame source: " + error.getMessage(), error);
        }
        discovered = true;
        unassigned.addAll(splits);
        assign(context.registeredReaders().keySet());
    }

    /** A reader must be registered before it can be given anything, so what comes back waits for it. */
    @Override
    public void addSplitsBack(List<FrameSplit> splits, int subtask) {
        unassigned.addAll(splits);
    }

    @Override
    public void addReader(int subtask) {
        if (discovered) {
            assign(List.of(subtask));
        }
    }

    private void assign(Collection<Integer> readers) {
        Map<Integer, List<FrameSplit>> assignment = new HashMap<>();
        for (FrameSplit split : unassigned) {
            int owner = split.partition() % context.currentParallelism();
            if (readers.contains(owner)) {
                assignment.computeIfAbsent(owner, none -> new ArrayList<>()).add(split);
            }
        }
        if (!assignment.isEmpty()) {
            assignment.values().forEach(unassigned::removeAll);
            context.assignSplits(new SplitsAssignment<>(assignment));
        }
        // Once told, a reader without a split stops holding time back.
        readers.forEach(reader -> context.sendEventToSourceReader(reader, new SplitsAssigned()));
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        // Readers do not ask.
    }

    @Override
    public FrameEnumeratorState snapshotState(long checkpointId) {
        return new FrameEnumeratorState(discovered, List.copyOf(unassigned));
    }

    @Override
    public void close() {}
}
