package dev.sluice.source;

import dev.sluice.progress.FrameInfo;
import java.util.Map;

/** What the fetching thread hands to the reader, per split and in order. */
sealed interface Item {
    /** A frame, or a part of one. */
    record Slice(FrameInfo info, Events events) implements Item {}

    /**
     * A record that is no frame of this input.
     *
     * @param range what its headers say, null when they say nothing
     */
    record Unreadable(
            String device,
            byte[] message,
            int partition,
            long offset,
            long appendTimeMs,
            String reason,
            FrameInfo range)
            implements Item {}

    /**
     * Changes of the partition's device list; the first one is the whole list.
     *
     * @param joined by device, false for a device that left
     */
    record Members(Map<String, Boolean> joined) implements Item {}

    /**
     * Time goes on.
     *
     * @param nowMs epoch ms
     * @param readToEnd whether everything appended before {@code nowMs} was read
     */
    record Tick(long nowMs, boolean readToEnd) implements Item {}
}
