package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FrameSplitReaderTest {
    private static final TopicPartition OUT = new TopicPartition("q.1.nums.out", 0);
    private static final TopicPartition DEVICES = new TopicPartition(DeviceList.TOPIC, 0);

    private final DeployedInput input = Frames.input("q", 1);
    private final MockConsumer<byte[], byte[]> frames = new MockConsumer<>("none");
    private final MockConsumer<byte[], byte[]> devices = new MockConsumer<>("none");
    private final FrameSplitReader reader = new FrameSplitReader(
            frames, new DeviceFollower(devices, input), new FrameDecoder(input, Frames.NUM), () -> 77);

    @BeforeEach
    void listOneDevice() {
        Node node = new Node(0, "localhost", 1);
        devices.updatePartitions(
                DeviceList.TOPIC,
                List.of(new PartitionInfo(DeviceList.TOPIC, 0, node, new Node[] {node}, new Node[] {node})));
        devices.updateBeginningOffsets(Map.of(DEVICES, 0L));
        devices.updateEndOffsets(Map.of(DEVICES, 1L));
        devices.schedulePollTask(() -> device(0, "{\"partition\":0}"));
        frames.updateBeginningOffsets(Map.of(OUT, 0L));
        frames.updateEndOffsets(Map.of(OUT, 0L));
    }

    private void device(long offset, String json) {
        byte[] key = "q/nums/pi".getBytes(StandardCharsets.UTF_8);
        devices.addRecord(new ConsumerRecord<>(
                DeviceList.TOPIC, 0, offset, key, json == null ? null : json.getBytes(StandardCharsets.UTF_8)));
    }

    private void frame(long offset, Frames.Builder frame) {
        frames.addRecord(new ConsumerRecord<>(OUT.topic(), 0, offset, new byte[0], frame.build()));
        frames.updateEndOffsets(Map.of(OUT, offset + 1));
    }

    private void add(long offset) {
        reader.handleSplitsChanges(new SplitsAddition<>(List.of(FrameSplit.unread(OUT.topic(), 0, offset))));
    }

    private List<Item> fetch() throws IOException {
        RecordsWithSplitIds<Item> batch = reader.fetch();
        List<Item> items = new ArrayList<>();
        while (batch.nextSplit() != null) {
            for (Item item = batch.nextRecordFromSplit(); item != null; item = batch.nextRecordFromSplit()) {
                items.add(item);
            }
        }
        return items;
    }

    @Test
    void theDeviceListComesFirstAndATickLast() throws IOException {
        add(0);
        frame(0, Frames.full("pi", 1, 0, 99, 0));
        List<Item> items = fetch();
        assertEquals(4, items.size());
        assertEquals(new Item.Members(Map.of("pi", true)), items.get(0));
        assertTrue(items.get(1) instanceof Item.Slice && items.get(2) instanceof Item.Slice);
        assertEquals(new Item.Tick(77, false), items.get(3));
        assertEquals(new Item.Tick(77, true), fetch().get(0), "the end was asked for");
    }

    @Test
    void noFrameIsReadBeforeTheDeviceListIs() throws IOException {
        devices.updateEndOffsets(Map.of(DEVICES, 2L));
        add(0);
        frame(0, Frames.full("pi", 1, 0, 9, 0));
        assertEquals(List.of(), fetch());
        devices.schedulePollTask(() -> device(1, null));
        assertEquals(new Item.Members(Map.of()), fetch().get(0));
    }

    @Test
    void changesOfTheListAreHandedOn() throws IOException {
        add(0);
        fetch();
        device(1, "{\"partition\":0,\"state\":\"left\"}");
        assertEquals(new Item.Members(Map.of("pi", false)), fetch().get(0));
    }

    @Test
    void aWakeUpLosesNothing() throws IOException {
        add(0);
        reader.wakeUp();
        frame(0, Frames.full("pi", 1, 0, 9, 0));
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            items.addAll(fetch());
        }
        assertEquals(1, items.stream().filter(Item.Members.class::isInstance).count());
        assertEquals(1, items.stream().filter(Item.Slice.class::isInstance).count());
    }

    @Test
    void anOffsetThatIsGoneFailsLoudly() {
        add(3);
        frames.setPollException(new OffsetOutOfRangeException(Map.of(OUT, 3L)));
        IOException failure = assertThrows(IOException.class, this::fetch);
        assertTrue(failure.getMessage().contains("retention"), failure.getMessage());
    }

    @Test
    void aMissingDeviceTopicIsNamed() {
        devices.updatePartitions(DeviceList.TOPIC, List.of());
        add(0);
        RuntimeException failure = assertThrows(RuntimeException.class, this::fetch);
        assertTrue(failure.getMessage().contains(DeviceList.TOPIC));
    }
}
