package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.Schemas;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class FrameSourceReaderTest {
    private static List<String> events(String device, long first, long last) {
        List<String> events = new ArrayList<>();
        for (long seq = first; seq <= last; seq++) {
            events.add(device + ":" + seq);
        }
        return events;
    }

    private static List<String> with(List<String> events, String... more) {
        List<String> all = new ArrayList<>(events);
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void passesEventsInSourceOrderAndHoldsWhatIsBehindAHole() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, Frames.full("a", 1, 0, 4, 0));
            assertEquals(with(events("a", 0, 4), "W3"), harness.run());
            harness.append(0, Frames.full("a", 1, 10, 14, 0));
            assertEquals(List.of(), harness.run());
            harness.append(0, Frames.full("a", 1, 5, 9, 0));
            assertEquals(with(events("a", 5, 14), "W13"), harness.run());
        }
    }

    @Test
    void passesEverySeqOnce() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, Frames.full("a", 1, 0, 9, 0));
            harness.append(0, Frames.full("a", 1, 0, 9, 0));
            harness.append(0, Frames.full("a", 1, 5, 14, 0));
            assertEquals(with(events("a", 0, 9), "W8", "a:10", "a:11", "a:12", "a:13", "a:14", "W13"), harness.run());
        }
    }

    @Test
    void largeFramesAreWholeAndInOrder() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, Frames.full("a", 1, 500, 999, 0));
            harness.append(0, Frames.full("a", 1, 0, 499, 0));
            assertEquals(with(events("a", 0, 999), "W998"), withoutMiddleWatermarks(harness.run()));
        }
    }

    private static List<String> withoutMiddleWatermarks(List<String> emitted) {
        List<String> kept = new ArrayList<>(emitted.subList(0, emitted.size() - 1));
        kept.removeIf(each -> each.startsWith("W"));
        kept.add(emitted.get(emitted.size() - 1));
        return kept;
    }

    @Test
    void theWatermarkIsTheLowestOfDevicesAndSplits() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a", "b"), 1, List.of("c")))) {
            harness.append(0, Frames.full("a", 1, 0, 9, 100));
            harness.append(1, Frames.full("c", 1, 0, 9, 50));
            assertTrue(harness.run().stream().noneMatch(each -> each.startsWith("W")), "b was never seen");
            harness.append(0, Frames.full("b", 1, 0, 9, 200));
            assertEquals(with(events("b", 0, 9), "W58"), harness.run());
            harness.append(1, Frames.full("c", 1, 10, 19, 300));
            assertEquals(with(events("c", 10, 19), "W108"), harness.run());
        }
    }

    @Test
    void silentDevicesHoldNothingAndSilentReadersAreIdle() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a", "b")))) {
            harness.append(0, Frames.full("a", 1, 0, 9, 100));
            harness.append(0, Frames.full("b", 1, 0, 9, 500));
            harness.tick(0);
            assertEquals("W108", last(harness.run()));
            harness.nowMs += 61_000;
            harness.append(0, Frames.full("b", 1, 10, 19, 500));
            harness.tick(0);
            assertEquals("W518", last(harness.run()));
            harness.nowMs += 31_000;
            harness.tick(0);
            assertEquals(List.of("idle"), harness.run());
            harness.append(0, Frames.full("b", 1, 20, 29, 500));
            List<String> emitted = harness.run();
            assertTrue(emitted.contains("active"), emitted.toString());
            assertEquals("W528", last(emitted));
        }
    }

    private static String last(List<String> emitted) {
        return emitted.get(emitted.size() - 1);
    }

    @Test
    void aReaderWithoutSplitsIsIdleOnceItIsTold() throws Exception {
        try (ReaderHarness harness = new ReaderHarness()) {
            assertEquals(List.of(), harness.run());
            harness.reader.handleSourceEvents(new SplitsAssigned());
            assertEquals(List.of("idle"), harness.run());
        }
    }

    @Test
    void aReaderThatDoesNotKnowItsDevicesHoldsTime() throws Exception {
        try (ReaderHarness harness = new ReaderHarness()) {
            harness.reader.addSplits(List.of(FrameSplit.unread("q.1.nums.out", 0, 0)));
            harness.tick(0);
            assertEquals(List.of(), harness.run());
            harness.list(0, List.of());
            assertEquals(List.of("idle"), harness.run());
        }
    }

    @Test
    void aCheckpointKeepsWhatWasPassedAndReadsHeldFramesAgain() throws Exception {
        List<FrameSplit> splits;
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, Frames.full("a", 1, 0, 4, 100));
            harness.append(0, Frames.full("a", 1, 10, 14, 100));
            harness.append(0, Frames.full("a", 1, 20, 24, 100));
            assertEquals(with(events("a", 0, 4), "W103"), harness.run());
            splits = harness.snapshot();
        }
        assertEquals(1, splits.get(0).offset());
        assertEquals(103, splits.get(0).emittedMs());
        FrameSplitSerializer serializer = new FrameSplitSerializer();
        splits = List.of(serializer.deserialize(1, serializer.serialize(splits.get(0))));
        try (ReaderHarness harness = ReaderHarness.restored(splits)) {
            assertEquals(List.of("W103"), harness.run(), "emitted again before any record");
            harness.list(0, List.of("a"));
            harness.append(0, Frames.full("a", 1, 10, 14, 100));
            harness.append(0, Frames.full("a", 1, 20, 24, 100));
            harness.append(0, Frames.full("a", 1, 0, 19, 100));
            assertEquals(with(events("a", 5, 24), "W123"), withoutMiddleWatermarks(harness.run()));
        }
    }

    @Test
    void whatIsNoFrameIsCountedAndCopiedAndTheFlowGoesOn() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, "garbage".getBytes(), Map.of());
            byte[] wrongId = Frames.full("a", 1, 0, 4, 100).build(9);
            harness.append(0, wrongId, Map.of("device", "a", "incarnation", "1", "first", "0", "last", "4"));
            harness.append(0, Frames.full("a", 1, 5, 9, 100));
            assertEquals(List.of(), harness.run(), "0 to 4 are a hole, which their headers name");
            harness.append(0, Frames.full("a", 1, 0, 4, 100));
            assertEquals(with(events("a", 0, 9), "W108"), harness.run());

            List<ProducerRecord<byte[], byte[]>> copies = harness.copies.history();
            assertEquals(2, copies.size());
            assertEquals("q.dead", copies.get(0).topic());
            GenericRecord garbage =
                    Confluent.decode(Schemas.DEAD_EVENT.schema(), copies.get(0).value());
            assertEquals(0L, garbage.get("offset"));
            assertEquals(7L, garbage.get("size"));
            assertEquals(null, garbage.get("seq"));
            GenericRecord named =
                    Confluent.decode(Schemas.DEAD_EVENT.schema(), copies.get(1).value());
            assertEquals("a", named.get("device").toString());
            assertEquals(0L, named.get("seq"));
            assertEquals(9, named.get("schema_id"));
            assertEquals(31, Confluent.schemaId(copies.get(1).value()));
        }
    }

    @Test
    void lateEventsPassAndAreCopied() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a", "b")))) {
            harness.append(0, Frames.full("a", 1, 0, 9, 1000));
            harness.tick(0);
            harness.run();
            harness.nowMs += 61_000;
            harness.append(0, Frames.full("a", 1, 10, 19, 1000));
            harness.tick(0);
            assertEquals("W1018", last(harness.run()), "b was not seen within its start grace");
            harness.append(0, Frames.data("b", 1, 0, 1).event(0, 7L, true).event(1, 2000L, true));
            assertEquals(List.of("b:0", "b:1"), harness.run());
            assertEquals(1, harness.copies.history().size());
            GenericRecord late = Confluent.decode(
                    Schemas.LATE_EVENT.schema(), harness.copies.history().get(0).value());
            assertEquals("b", late.get("device").toString());
            assertEquals(0L, late.get("seq"));
            assertEquals(7L, late.get("time"));
            assertEquals(1018L, late.get("watermark"));
            assertEquals(3L, late.get("size"));
        }
    }

    @Test
    void valuesAndTimesMayBeNull() throws Exception {
        try (ReaderHarness harness = ReaderHarness.of(Map.of(0, List.of("a")))) {
            harness.append(0, Frames.data("a", 1, 0, 3).event(1, null, true).event(3, 5L, false));
            assertEquals(List.of("a:1@none", "null"), harness.run());
        }
    }
}
