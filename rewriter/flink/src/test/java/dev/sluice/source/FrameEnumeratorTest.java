package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FrameEnumeratorTest {
    private static final FrameEnumeratorState NEW = new FrameEnumeratorState(false, List.of());

    private static FrameSplit split(int partition) {
        return FrameSplit.unread("t", partition, 0);
    }

    private static FrameEnumerator enumerator(FakeEnumeratorContext context, FrameEnumeratorState state) {
        FrameEnumerator enumerator = new FrameEnumerator(context, () -> List.of(split(0), split(1), split(2)), state);
        enumerator.start();
        return enumerator;
    }

    @Test
    void everyPartitionHasOneReaderAndEveryReaderIsTold() {
        FakeEnumeratorContext context = new FakeEnumeratorContext(4);
        FrameEnumerator enumerator = enumerator(context, NEW);
        context.register(0);
        enumerator.addReader(0);
        assertEquals(Map.of(), context.given, "not discovered yet");
        context.runCalls();
        assertEquals(Map.of(0, List.of("t-0", "SplitsAssigned")), context.given);
        for (int subtask = 1; subtask < 4; subtask++) {
            context.register(subtask);
            enumerator.addReader(subtask);
        }
        assertEquals(List.of("t-2", "SplitsAssigned"), context.given.get(2));
        assertEquals(List.of("SplitsAssigned"), context.given.get(3));
        assertEquals(new FrameEnumeratorState(true, List.of()), enumerator.snapshotState(1));
    }

    @Test
    void splitsThatComeBackWaitForTheirReader() {
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        FrameEnumerator enumerator = enumerator(context, NEW);
        context.register(0);
        context.runCalls();
        context.readers.clear();
        context.given.clear();
        enumerator.addSplitsBack(List.of(), 0);
        enumerator.addSplitsBack(List.of(split(0), split(2)), 0);
        assertEquals(Map.of(), context.given);
        assertEquals(2, enumerator.snapshotState(1).unassigned().size());
        context.register(0);
        enumerator.addReader(0);
        assertEquals(List.of("t-0", "t-2", "SplitsAssigned"), context.given.get(0));
    }

    @Test
    void aRestoredEnumeratorDoesNotDiscoverAgain() {
        FakeEnumeratorContext context = new FakeEnumeratorContext(2);
        FrameEnumerator enumerator = enumerator(context, new FrameEnumeratorState(true, List.of(split(1))));
        context.runCalls();
        context.register(0);
        context.register(1);
        enumerator.addReader(0);
        enumerator.addReader(1);
        assertEquals(Map.of(0, List.of("SplitsAssigned"), 1, List.of("t-1", "SplitsAssigned")), context.given);
    }

    @Test
    void aFailedDiscoveryFailsTheJob() {
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        new FrameEnumerator(
                        context,
                        () -> {
                            throw new IllegalStateException("topic t: no such topic");
                        },
                        NEW)
                .start();
        Exception failure = assertThrows(RuntimeException.class, context::runCalls);
        assertTrue(failure.getMessage().contains("topic t"));
    }
}
