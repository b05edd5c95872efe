package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.avro.MalformedException;
import dev.sluice.progress.FrameKind;
import dev.sluice.progress.PartitionProgress;
import dev.sluice.progress.Previous;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private final FrameDecoder decoder = new FrameDecoder(Frames.input("q", 1), Frames.NUM);

    @Test
    void readsADataFrame() {
        Frame frame = decoder.decode(Frames.data("pi-1", 7, 10, 20)
                .previous(5, 99)
                .watermark(1234)
                .event(11, 1000L, true)
                .event(11, null, true)
                .event(20, 2000L, false)
                .build());
        assertEquals(FrameKind.DATA, frame.kind());
        assertEquals("pi-1", frame.device());
        assertEquals(7, frame.incarnation());
        assertEquals(new Previous(5, 99), frame.previous());
        assertEquals(10, frame.first());
        assertEquals(20, frame.last());
        assertEquals(1234, frame.watermarkMs());
        Events events = frame.events();
        assertEquals(3, events.to());
        assertArrayEquals(new long[] {11, 11, 20}, events.seqs());
        assertArrayEquals(new long[] {1000, Events.NO_TIME, 2000}, events.times());
        assertEquals("pi-1:11", events.values()[0].toString());
        assertNull(events.values()[2]);
        assertEquals(events.starts()[2], events.ends()[2]);
        assertEquals("pi-1".length() + 2, events.ends()[0] - events.starts()[0]);
    }

    @Test
    void readsAHeartbeat() {
        Frame frame = decoder.decode(Frames.heartbeat("pi-1", 7, -1).build());
        assertEquals(FrameKind.HEARTBEAT, frame.kind());
        assertEquals(0, frame.first());
        assertEquals(-1, frame.last());
        assertEquals(PartitionProgress.NO_WATERMARK, frame.watermarkMs());
        assertNull(frame.previous());
        assertEquals(0, frame.events().to());
    }

    private String refusal(byte[] message) {
        return assertThrows(MalformedException.class, () -> decoder.decode(message))
                .getMessage();
    }

    @Test
    void refusesWhatIsNoFrameOfTheInput() {
        assertTrue(refusal("garbage".getBytes()).contains("header"));
        assertTrue(refusal(new byte[0]).contains("header"));
        assertTrue(refusal(Frames.data("pi", 1, 0, 0).build(99)).contains("schema id 99"));
        assertTrue(refusal(Frames.data("", 1, 0, 0).build()).contains("device"));
        assertTrue(refusal(Frames.data("pi", 1, 5, 4).build()).contains("range 5..4"));
        assertTrue(refusal(Frames.data("pi", 1, 0, 0).applied(2).build()).contains("2 operators"));
        assertTrue(
                refusal(Frames.data("pi", 1, 0, 5).event(6, 0L, true).build()).contains("seq 6"));
        assertTrue(refusal(Frames.data("pi", 1, 0, 5)
                        .event(4, 0L, true)
                        .event(3, 0L, true)
                        .build())
                .contains("seq 3"));
        assertTrue(refusal(Frames.gap("pi", 1, 0, 5).event(4, 0L, true).build()).contains("GAP"));
        byte[] frame = Frames.full("pi", 1, 0, 5, 0).build();
        assertTrue(refusal(Arrays.copyOf(frame, frame.length + 1)).contains("too many"));
        for (int length = 0; length < frame.length; length++) {
            refusal(Arrays.copyOf(frame, length));
        }
    }

    @Test
    void damagedFramesNeverDoMoreThanRefuse() {
        byte[] frame = Frames.full("pi", 1, 0, 30, 0).build();
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = frame.clone();
            damaged[5 + random.nextInt(frame.length - 5)] = (byte) random.nextInt();
            try {
                decoder.decode(damaged);
            } catch (MalformedException expected) {
                refused++;
            }
        }
        assertTrue(refused > 1000, "refused " + refused);
    }
}
