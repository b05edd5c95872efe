package dev.sluice.source;

import dev.sluice.progress.FrameInfo;
import dev.sluice.progress.FrameKind;
import dev.sluice.progress.PartitionProgress;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a frame into slices of about {@link #EVENTS} events. The reader emits a slice without pause, and a checkpoint must
 * not wait for a large frame in front of a slow job.
 */
final class FrameSlicer {
    /** Events of a slice; one more only for outputs of the same seq. */
    static final int EVENTS = 64;

    /** Objects, their strings and the record they came from, in multiples of the encoded bytes. An estimate. */
    private static final int MEMORY_FACTOR = 4;

    private FrameSlicer() {}

    /** The slices of a frame that is the record at {@code offset}. Only the last one keeps the watermark. */
    static List<Item> cut(Frame frame, long appendTimeMs, long offset, int recordBytes) {
        Events all = frame.events();
        List<Item> slices = new ArrayList<>(1 + all.to() / EVENTS);
        long bytes = (long) recordBytes * MEMORY_FACTOR;
        long first = frame.first();
        int from = 0;
        while (all.to() - from > EVENTS) {
            int to = from + EVENTS;
            while (to < all.to() && all.seqs()[to] == all.seqs()[to - 1]) {
                to++;
            }
            if (to == all.to()) {
                break;
            }
            long last = all.seqs()[to - 1];
            long share = bytes * (to - from) / all.to();
            slices.add(new Item.Slice(
                    info(frame, first, last, PartitionProgress.NO_WATERMARK, share, appendTimeMs, offset, offset),
                    all.slice(from, to)));
            first = last + 1;
            from = to;
        }
        long share = all.to() == 0 ? bytes : bytes * (all.to() - from) / all.to();
        slices.add(new Item.Slice(
                info(frame, first, frame.last(), frame.watermarkMs(), share, appendTimeMs, offset, offset + 1),
                all.slice(from, all.to())));
        return slices;
    }

    private static FrameInfo info(
            Frame frame,
            long first,
            long last,
            long watermarkMs,
            long bytes,
            long appendTimeMs,
            long offset,
            long nextOffset) {
        return new FrameInfo(
                frame.kind(),
                frame.device(),
                frame.incarnation(),
                frame.previous(),
                first,
                last,
                watermarkMs,
                bytes,
                appendTimeMs,
                offset,
                nextOffset);
    }

    /** What the headers of an unreadable record say; its range may still come by replay. */
    static FrameInfo unreadable(
            String device, long incarnation, long first, long last, long appendTimeMs, long offset) {
        return new FrameInfo(
                FrameKind.UNREADABLE,
                device,
                incarnation,
                null,
                first,
                last,
                PartitionProgress.NO_WATERMARK,
                0,
                appendTimeMs,
                offset,
                offset + 1);
    }
}
