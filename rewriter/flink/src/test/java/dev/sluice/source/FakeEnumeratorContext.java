package dev.sluice.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/** An enumerator's surroundings in tests; asynchronous calls run when the test says so. */
final class FakeEnumeratorContext implements SplitEnumeratorContext<FrameSplit> {
    final Map<Integer, ReaderInfo> readers = new HashMap<>();
    final Map<Integer, List<String>> given = new TreeMap<>();
    private final List<Runnable> calls = new ArrayList<>();
    private final int parallelism;

    FakeEnumeratorContext(int parallelism) {
        this.parallelism = parallelism;
    }

    void register(int subtask) {
        readers.put(subtask, new ReaderInfo(subtask, "localhost"));
    }

    void runCalls() {
        List<Runnable> due = List.copyOf(calls);
        calls.clear();
        due.forEach(Runnable::run);
    }

    private List<String> givenTo(int subtask) {
        if (!readers.containsKey(subtask)) {
            throw new IllegalArgumentException("reader " + subtask + " is not registered");
        }
        return given.computeIfAbsent(subtask, none -> new ArrayList<>());
    }

    @Override
    public SplitEnumeratorMetricGroup metricGroup() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendEventToSourceReader(int subtask, SourceEvent event) {
        givenTo(subtask).add(event.getClass().getSimpleName());
    }

    @Override
    public int currentParallelism() {
        return parallelism;
    }

    @Override
    public Map<Integer, ReaderInfo> registeredReaders() {
        return readers;
    }

    @Override
    public void assignSplits(SplitsAssignment<FrameSplit> assignment) {
        assignment
                .assignment()
                .forEach((subtask, splits) ->
                        splits.forEach(split -> givenTo(subtask).add(split.splitId())));
    }

    @Override
    public void signalNoMoreSplits(int subtask) {
        throw new AssertionError("the topic has no end");
    }

    @Override
    public <V> void callAsync(Callable<V> callable, BiConsumer<V, Throwable> handler) {
        calls.add(() -> {
            V result;
            try {
                result = callable.call();
            } catch (Exception e) {
                handler.accept(null, e);
                return;
            }
            handler.accept(result, null);
        });
    }

    @Override
    public <V> void callAsync(Callable<V> callable, BiConsumer<V, Throwable> handler, long delay, long period) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void runInCoordinatorThread(Runnable runnable) {
        throw new UnsupportedOperationException();
    }
}
