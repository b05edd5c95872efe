package dev.sluice.source;

import dev.sluice.kafka.Clients;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A reader without Kafka or Flink around it: records go in, emissions come out. */
final class ReaderHarness implements AutoCloseable {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

    final FakeOutput output = new FakeOutput();
    final MockProducer<byte[], byte[]> copies =
            new MockProducer<>(true, new RoundRobinPartitioner(), new ByteArraySerializer(), new ByteArraySerializer());
    final FrameSourceReader<Frames.Num> reader;
    private final FakeSplitReader splitReader = new FakeSplitReader();
    private final DeployedInput input = Frames.input("q", 2);
    private final FrameRecords records = new FrameRecords(new FrameDecoder(input, Frames.NUM));
    private final Map<Integer, Long> offsets = new HashMap<>();
    private final Map<Integer, List<Item>> batch = new HashMap<>();

    /** The time of ticks and of appended records, epoch ms. */
    long nowMs = 1_000_000;

    ReaderHarness() {
        FakeReaderContext context = new FakeReaderContext();
        FrameSourceMetrics metrics = new FrameSourceMetrics(context.metricGroup());
        SideTopics sideTopics = new SideTopics(input, () -> copies);
        reader = new FrameSourceReader<>(
                () -> splitReader,
                new FrameEmitter<>(sideTopics, metrics),
                sideTopics,
                new OffsetCommitter("g", () -> Clients.admin(Map.of(), "unused")),
                metrics,
                input.limits(),
                context);
        reader.start();
    }

    /** A reader of new partitions, of which the devices are listed. */
    static ReaderHarness of(Map<Integer, List<String>> devices) throws Exception {
        ReaderHarness harness = new ReaderHarness();
        List<FrameSplit> splits = new ArrayList<>();
        devices.keySet().forEach(partition -> splits.add(FrameSplit.unread("q.1.nums.out", partition, 0)));
        harness.reader.addSplits(splits);
        devices.forEach(harness::list);
        harness.run();
        return harness;
    }

    /** A reader that goes on where another's checkpoint was. */
    static ReaderHarness restored(List<FrameSplit> splits) {
        ReaderHarness harness = new ReaderHarness();
        harness.reader.addSplits(splits);
        for (FrameSplit split : splits) {
            harness.offsets.put(split.partition(), split.offset());
        }
        return harness;
    }

    /** The device list of a partition is read. */
    void list(int partition, List<String> devices) {
        Map<String, Boolean> joined = new HashMap<>();
        devices.forEach(device -> joined.put(device, true));
        add(partition, List.of(new Item.Members(joined)));
    }

    /** A record is appended; the next {@link #run} reads it. */
    void append(int partition, Frames.Builder frame) {
        append(partition, frame.build(), Map.of());
    }

    /** A message with headers is appended. */
    void append(int partition, byte[] message, Map<String, String> headers) {
        long offset = offsets.merge(partition, 1L, Long::sum) - 1;
        RecordHeaders kafka = new RecordHeaders();
        headers.forEach((name, value) -> kafka.add(name, value.getBytes(StandardCharsets.UTF_8)));
        add(
                partition,
                records.items(new ConsumerRecord<>(
                        "q.1.nums.out",
                        partition,
                        offset,
                        nowMs,
                        TimestampType.LOG_APPEND_TIME,
                        0,
                        message.length,
                        "key".getBytes(StandardCharsets.UTF_8),
                        message,
                        kafka,
                        Optional.empty())));
    }

    /** Time goes on at the partition's end. */
    void tick(int partition) {
        add(partition, List.of(new Item.Tick(nowMs, true)));
    }

    private void add(int partition, List<Item> items) {
        batch.computeIfAbsent(partition, none -> new ArrayList<>()).addAll(items);
    }

    /** Reads everything that was appended, and returns what was emitted. */
    List<String> run() throws Exception {
        batch.forEach((partition, items) -> splitReader.give("q.1.nums.out-" + partition, items));
        batch.clear();
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (true) {
            InputStatus status = reader.pollNext(output);
            if (status == InputStatus.NOTHING_AVAILABLE && splitReader.isDrained()) {
                return output.take();
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the reader does not come to an end; emitted " + output.emitted);
            }
            Thread.onSpinWait();
        }
    }

    /** A checkpoint. */
    List<FrameSplit> snapshot() {
        return reader.snapshotState(1);
    }

    @Override
    public void close() throws Exception {
        reader.close();
    }
}
