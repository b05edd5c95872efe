package dev.sluice.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the source's progress as offsets of a consumer group; nothing ever starts from them. */
final class OffsetCommitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetCommitter.class);

    private final String group;
    private final Supplier<Admin> connect;
    private final NavigableMap<Long, Map<TopicPartition, OffsetAndMetadata>> byCheckpoint = new TreeMap<>();
    private Admin admin;

    /**
     * @param connect makes the client at the first commit
     */
    OffsetCommitter(String group, Supplier<Admin> connect) {
        this.group = group;
        this.connect = connect;
    }

    /** Keeps the offsets of a checkpoint until it is complete. */
    void remember(long checkpointId, List<FrameSplit> splits) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (FrameSplit split : splits) {
            offsets.put(new TopicPartition(split.topic(), split.partition()), new OffsetAndMetadata(split.offset()));
        }
        byCheckpoint.put(checkpointId, offsets);
    }

    /** Commits the offsets of a checkpoint, without waiting. */
    void commit(long checkpointId) {
        Map<TopicPartition, OffsetAndMetadata> offsets = byCheckpoint.get(checkpointId);
        byCheckpoint.headMap(checkpointId, true).clear();
        if (offsets == null || offsets.isEmpty()) {
            return;
        }
        if (admin == null) {
            admin = connect.get();
        }
        admin.alterConsumerGroupOffsets(group, offsets).all().whenComplete((done, error) -> {
            if (error != null) {
                LOG.warn("offsets of group {} were not committed: {}", group, error.toString());
            }
        });
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
