package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerializersTest {
    private final FrameSplitSerializer splits = new FrameSplitSerializer();
    private final FrameEnumeratorStateSerializer states = new FrameEnumeratorStateSerializer();

    @Test
    void splitsRoundTrip() throws IOException {
        FrameSplit read = splits.deserialize(
                splits.getVersion(), splits.serialize(new FrameSplit("q.1.in.out", 3, 42, -7, new byte[] {1, 2, 3})));
        assertEquals("q.1.in.out-3", read.splitId());
        assertEquals(42, read.offset());
        assertEquals(-7, read.emittedMs());
        assertArrayEquals(new byte[] {1, 2, 3}, read.progress());
        FrameSplit unread = FrameSplit.unread("t", 0, 5);
        assertNull(splits.deserialize(1, splits.serialize(unread)).progress());
        assertEquals(unread, splits.deserialize(1, splits.serialize(unread)));
    }

    @Test
    void enumeratorStateRoundTrips() throws IOException {
        FrameEnumeratorState state =
                new FrameEnumeratorState(true, List.of(FrameSplit.unread("t", 0, 5), FrameSplit.unread("t", 1, 6)));
        assertEquals(state, states.deserialize(states.getVersion(), states.serialize(state)));
    }

    @Test
    void otherVersionsAreRefused() {
        assertThrows(IOException.class, () -> splits.deserialize(2, new byte[0]));
        assertThrows(IOException.class, () -> states.deserialize(2, new byte[0]));
    }
}
