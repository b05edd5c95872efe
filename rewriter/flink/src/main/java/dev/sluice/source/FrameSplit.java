package dev.sluice.source;

import dev.sluice.progress.PartitionProgress;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * One partition of the {@code out} topic.
 *
 * @param offset where reading starts
 * @param emittedMs the watermark that the reader had emitted, epoch ms, or {@link PartitionProgress#NO_WATERMARK}
 * @param progress as {@link PartitionProgress#snapshot} wrote it; null before the partition was read
 */
record FrameSplit(String topic, int partition, long offset, long emittedMs, byte[] progress) implements SourceSplit {

    /** A partition that was never read. */
    static FrameSplit unread(String topic, int partition, long offset) {
        return new FrameSplit(topic, partition, offset, PartitionProgress.NO_WATERMARK, null);
    }

    @Override
    public String splitId() {
        return topic + "-" + partition;
    }
}
