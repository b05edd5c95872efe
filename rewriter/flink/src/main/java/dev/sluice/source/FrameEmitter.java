package dev.sluice.source;

import dev.sluice.progress.FrameInfo;
import dev.sluice.progress.PartitionProgress;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;

/**
 * Feeds items to their split's state. It emits nothing itself: what follows from an item may be many held frames, which the
 * reader passes on bit by bit.
 */
final class FrameEmitter<T> implements RecordEmitter<Item, T, FrameSplitState> {
    private final SideTopics sideTopics;
    private final FrameSourceMetrics metrics;
    private FrameSplitState fed;

    FrameEmitter(SideTopics sideTopics, FrameSourceMetrics metrics) {
        this.sideTopics = sideTopics;
        this.metrics = metrics;
    }

    @Override
    public void emitRecord(Item item, SourceOutput<T> unused, FrameSplitState split) throws IOException {
        fed = split;
        metrics.itemRead();
        PartitionProgress<Events> progress = split.progress();
        if (item instanceof Item.Slice slice) {
            if (!progress.frame(slice.info(), slice.events())) {
                metrics.unreadable.inc();
                sideTopics.dead(malformed(slice, split.partition()));
            }
        } else if (item instanceof Item.Tick tick) {
            progress.tick(tick.nowMs(), tick.readToEnd());
        } else if (item instanceof Item.Members members) {
            members.joined().forEach((device, joined) -> {
                if (joined) {
                    progress.joined(device);
                } else {
                    progress.left(device);
                }
            });
            split.listed();
        } else if (item instanceof Item.Unreadable record) {
            metrics.unreadable.inc();
            sideTopics.dead(record);
            if (record.range() == null) {
                progress.skipped(record.appendTimeMs(), record.offset() + 1);
            } else {
                progress.frame(record.range(), Events.NONE);
            }
        }
    }

    private static Item.Unreadable malformed(Item.Slice slice, int partition) {
        FrameInfo info = slice.info();
        return new Item.Unreadable(
                info.device(),
                slice.events().body(),
                partition,
                info.offset(),
                info.appendTimeMs(),
                "malformed frame " + info,
                null);
    }

    /** The split that was fed since the last call, null if none was. */
    FrameSplitState takeFed() {
        FrameSplitState taken = fed;
        fed = null;
        return taken;
    }
}
