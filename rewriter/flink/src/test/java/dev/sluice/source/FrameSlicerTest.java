package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.progress.FrameInfo;
import dev.sluice.progress.PartitionProgress;
import dev.sluice.progress.SeqRange;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameSlicerTest {
    private final FrameDecoder decoder = new FrameDecoder(Frames.input("q", 1), Frames.NUM);

    private List<Item> cut(byte[] message) {
        return FrameSlicer.cut(decoder.decode(message), 500, 40, message.length);
    }

    @Test
    void aSmallFrameIsOneSlice() {
        List<Item> slices = cut(Frames.full("pi", 1, 3, 66, 0).build());
        assertEquals(1, slices.size());
        FrameInfo info = ((Item.Slice) slices.get(0)).info();
        assertEquals(3, info.first());
        assertEquals(66, info.last());
        assertEquals(65, info.watermarkMs());
        assertEquals(41, info.nextOffset());
    }

    @Test
    void slicesMakeUpTheRangeAndOnlyTheLastHasTheWatermark() {
        List<Item> slices = cut(Frames.full("pi", 1, 0, 149, 0).build());
        assertEquals(3, slices.size());
        long next = 0;
        long events = 0;
        for (int i = 0; i < 3; i++) {
            Item.Slice slice = (Item.Slice) slices.get(i);
            assertEquals(next, slice.info().first());
            next = slice.info().last() + 1;
            events += slice.events().to() - slice.events().from();
            assertEquals(
                    i < 2 ? PartitionProgress.NO_WATERMARK : 148, slice.info().watermarkMs());
            assertEquals(40, slice.info().offset());
            assertEquals(i < 2 ? 40 : 41, slice.info().nextOffset());
        }
        assertEquals(150, next);
        assertEquals(150, events);
    }

    @Test
    void outputsOfOneSeqStayTogether() {
        Frames.Builder frame = Frames.data("pi", 1, 0, 9);
        for (int i = 0; i < 100; i++) {
            frame.event(3, 0L, true);
        }
        frame.event(5, 0L, true);
        List<Item> slices = cut(frame.build());
        assertEquals(2, slices.size());
        assertEquals(3, ((Item.Slice) slices.get(0)).info().last());
        assertEquals(1, ((Item.Slice) slices.get(1)).events().in(List.of(new SeqRange(4, 9))).length);
    }

    @Test
    void rangesSelectEvents() {
        Item.Slice slice =
                (Item.Slice) cut(Frames.full("pi", 1, 10, 19, 0).build()).get(0);
        assertEquals(
                List.of(0, 1, 5, 6),
                Arrays.stream(slice.events().in(List.of(new SeqRange(8, 11), new SeqRange(15, 16))))
                        .boxed()
                        .toList());
    }
}
