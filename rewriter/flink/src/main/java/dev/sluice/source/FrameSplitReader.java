package dev.sluice.source;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Reads partitions of {@code out}: per fetch the changes of the device list, the frames, and one tick for each partition,
 * behind its frames.
 */
final class FrameSplitReader implements SplitReader<Item, FrameSplit> {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PROBE_TIMEOUT = Duration.ofMillis(500);
    private static final long PROBE_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private final Consumer<byte[], byte[]> consumer;
    private final DeviceFollower devices;
    private final FrameRecords records;
    private final LongSupplier clockMs;
    private final Map<TopicPartition, String> splits = new HashMap<>();
    private final Set<Integer> unlisted = new TreeSet<>();
    private long probedAtNanos = System.nanoTime() - PROBE_EVERY_NANOS;

    FrameSplitReader(
            Consumer<byte[], byte[]> consumer, DeviceFollower devices, FrameDecoder decoder, LongSupplier clockMs) {
        this.consumer = consumer;
        this.devices = devices;
        this.records = new FrameRecords(decoder);
        this.clockMs = clockMs;
    }

    @Override
    public void handleSplitsChanges(SplitsChange<FrameSplit> change) {
        if (!(change instanceof SplitsAddition)) {
            throw new UnsupportedOperationException("splits are only added, not " + change);
        }
        for (FrameSplit split : change.splits()) {
            splits.put(new TopicPartition(split.topic(), split.partition()), split.splitId());
            unlisted.add(split.partition());
        }
        List<TopicPartition> assigned = new ArrayList<>(splits.keySet());
        consumer.assign(assigned);
        for (FrameSplit split : change.splits()) {
            consumer.seek(new TopicPartition(split.topic(), split.partition()), split.offset());
        }
    }

    @Override
    public RecordsWithSplitIds<Item> fetch() throws IOException {
        RecordsBySplits.Builder<Item> batch = new RecordsBySplits.Builder<>();
        try {
            addMembers(batch);
            // A frame must not raise the watermark before every listed device is known.
            if (devices.isComplete()) {
                addFrames(batch);
            }
        } catch (WakeupException e) {
            // Asked to return early. What was added stays; the consumers lose nothing by a wake-up.
        } catch (OffsetOutOfRangeException e) {
            throw new IOException(
                    "offsets " + e.offsetOutOfRangePartitions()
                            + " are not in the topic any more: its retention is shorter than the outage",
                    e);
        }
        return batch.build();
    }

    private void addMembers(RecordsBySplits.Builder<Item> batch) {
        List<DeviceList.Change> changes = devices.poll();
        if (!devices.isComplete()) {
            return;
        }
        for (Map.Entry<TopicPartition, String> split : splits.entrySet()) {
            int partition = split.getKey().partition();
            if (unlisted.remove(partition)) {
                batch.add(split.getValue(), new Item.Members(devices.joined(partition)));
            } else {
                for (DeviceList.Change change : changes) {
                    if (change.partition() == partition) {
                        batch.add(split.getValue(), new Item.Members(Map.of(change.device(), change.joined())));
                    }
                }
            }
        }
    }

    private void addFrames(RecordsBySplits.Builder<Item> batch) {
        ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
        for (TopicPartition partition : polled.partitions()) {
            String split = splits.get(partition);
            polled.records(partition).forEach(record -> batch.addAll(split, records.items(record)));
        }
        Map<TopicPartition, Long> ends = Map.of();
        long nowMs = clockMs.getAsLong();
        try {
            ends = probe(polled);
        } finally {
            for (Map.Entry<TopicPartition, String> split : splits.entrySet()) {
                Long end = ends.get(split.getKey());
                boolean readToEnd = end != null && consumer.position(split.getKey()) >= end;
                batch.add(split.getValue(), new Item.Tick(nowMs, readToEnd));
            }
        }
    }

    /**
     * Asks for the end of each partition that gave no records and seems to have none. The lag that the consumer remembers
     * proves nothing: it is 0 while the broker hangs, and while the job blocked for so long that nothing was fetched.
     */
    private Map<TopicPartition, Long> probe(ConsumerRecords<byte[], byte[]> polled) {
        if (System.nanoTime() - probedAtNanos < PROBE_EVERY_NANOS) {
            return Map.of();
        }
        List<TopicPartition> quiet = new ArrayList<>();
        for (TopicPartition partition : splits.keySet()) {
            if (polled.records(partition).isEmpty()
                    && consumer.currentLag(partition).orElse(1) == 0) {
                quiet.add(partition);
            }
        }
        if (quiet.isEmpty()) {
            return Map.of();
        }
        probedAtNanos = System.nanoTime();
        try {
            return consumer.endOffsets(quiet, PROBE_TIMEOUT);
        } catch (TimeoutException e) {
            return Map.of();
        }
    }

    @Override
    public void wakeUp() {
        consumer.wakeup();
        devices.wakeUp();
    }

    @Override
    public void close() {
        consumer.close();
        devices.close();
    }
}
