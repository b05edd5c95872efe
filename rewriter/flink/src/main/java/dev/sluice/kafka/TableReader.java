package dev.sluice.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Reads a compacted topic from its beginning and follows it. */
public final class TableReader implements AutoCloseable {
    private static final Duration STEP = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> consumer;
    private final String topic;
    private Map<TopicPartition, Long> ends;
    private boolean complete;

    /** Reads {@code topic} with a consumer that it owns; asks the broker only when it is polled. */
    public TableReader(Consumer<byte[], byte[]> consumer, String topic) {
        this.consumer = consumer;
        this.topic = topic;
    }

    /** Whether the table as it stood at the first {@link #poll} was read to its end. */
    public boolean isComplete() {
        return complete;
    }

    /**
     * The records since the last call; waits for some only while the table is not complete. Throws Kafka's exceptions, and a
     * {@link MissingTopicException}.
     */
    public Iterable<ConsumerRecord<byte[], byte[]>> poll() {
        if (ends == null) {
            ends = begin();
        }
        var records = consumer.poll(complete ? Duration.ZERO : STEP);
        complete =
                complete || ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
        return records;
    }

    private Map<TopicPartition, Long> begin() {
        List<TopicPartition> partitions = new ArrayList<>();
        List<PartitionInfo> infos = consumer.partitionsFor(topic);
        if (infos == null || infos.isEmpty()) {
            throw new MissingTopicException(topic);
        }
        for (PartitionInfo info : infos) {
            partitions.add(new TopicPartition(info.topic(), info.partition()));
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer.endOffsets(partitions);
    }

    /** Makes a running {@link #poll} throw a WakeupException, or the next one. Safe from any thread. */
    public void wakeUp() {
        consumer.wakeup();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
