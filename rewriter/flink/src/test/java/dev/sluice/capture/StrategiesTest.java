package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.timestamps.AscendingTimestampExtractor;
import org.apache.flink.streaming.api.functions.timestamps.BoundedOutOfOrdernessTimestampExtractor;
import org.junit.jupiter.api.Test;

/** Each way to make event time. */
final class StrategiesTest {
    private static final String ENTRY = "watermarks/1.ser";

    private static final class EveryEvent implements WatermarkGenerator<Long> {
        @Override
        public void onEvent(Long event, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    private static final class Own implements WatermarkStrategy<Long> {
        private static final long serialVersionUID = 1;

        @Override
        public WatermarkGenerator<Long> createWatermarkGenerator(WatermarkGeneratorSupplier.Context context) {
            context.getMetricGroup().counter("watermarks");
            return new EveryEvent();
        }

        @Override
        public TimestampAssigner<Long> createTimestampAssigner(TimestampAssignerSupplier.Context context) {
            return (event, before) -> event;
        }
    }

    private static final class Rising extends AscendingTimestampExtractor<Long> {
        private static final long serialVersionUID = 1;

        @Override
        public long extractAscendingTimestamp(Long value) {
            return value;
        }
    }

    private static final class Lagging extends BoundedOutOfOrdernessTimestampExtractor<Long> {
        private static final long serialVersionUID = 1;

        Lagging(Duration bound) {
            super(bound);
        }

        @Override
        public long extractTimestamp(Long value) {
            return value;
        }
    }

    private static Graph.Watermarks of(WatermarkStrategy<?> strategy) {
        return Strategies.of(strategy, ENTRY);
    }

    @Test
    void noneIsNull() {
        assertNull(of(WatermarkStrategy.noWatermarks()));
        assertNull(of(null));
    }

    @Test
    void bounded() {
        Graph.Watermarks marks = of(WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofMillis(5))
                .withTimestampAssigner((event, before) -> event)
                .withIdleness(Duration.ofSeconds(7)));
        assertEquals("bounded", marks.strategy());
        assertEquals(5, marks.boundMs());
        assertEquals(7000, marks.idleMs());
        Graph.Function timestamps = assertInstanceOf(Graph.Function.class, marks.timestamps());
        assertEquals("lambda", timestamps.form());
        assertNull(timestamps.serialized());
        assertEquals(ENTRY, marks.serialized());
    }

    @Test
    void monotonousWithTheRecordsTime() {
        Graph.Watermarks marks = of(WatermarkStrategy.<Long>forMonotonousTimestamps());
        assertEquals("monotonous", marks.strategy());
        assertEquals(0, marks.boundMs());
        assertEquals("record", marks.timestamps());
        assertNull(marks.idleMs());
    }

    @Test
    void aligned() {
        assertTrue(of(WatermarkStrategy.<Long>forMonotonousTimestamps()
                        .withWatermarkAlignment("group", Duration.ofSeconds(1))
                        .withIdleness(Duration.ofSeconds(2)))
                .aligned());
    }

    @Test
    void custom() {
        Graph.Watermarks marks = of(new Own());
        assertEquals("custom", marks.strategy());
        assertEquals(EveryEvent.class.getName(), marks.type());
        assertNull(marks.boundMs());
        assertEquals(
                "lambda",
                assertInstanceOf(Graph.Function.class, marks.timestamps()).form());
        assertEquals(
                "custom",
                of(WatermarkStrategy.<Long>forGenerator(context -> new EveryEvent()))
                        .strategy());
    }

    /** In Flink 1 something wraps them, in Flink 2 they are strategies. */
    @Test
    void extractorsOfOld() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            DataStream<Long> numbers = env.fromSequence(1, 3);
            numbers.assignTimestampsAndWatermarks(new Rising()).sinkTo(new DiscardingSink<>());
            numbers.assignTimestampsAndWatermarks(new Lagging(Duration.ofMillis(5)))
                    .sinkTo(new DiscardingSink<>());
        });
        List<Graph.Watermarks> marks = job.graph().nodes().stream()
                .filter(node -> node.kind().equals("timestamps"))
                .map(Graph.Node::watermarks)
                .toList();
        assertEquals(
                List.of("monotonous", "bounded"),
                marks.stream().map(Graph.Watermarks::strategy).toList());
        assertEquals(
                List.of(0L, 4L), marks.stream().map(Graph.Watermarks::boundMs).toList());
        assertTrue(marks.stream().allMatch(Graph.Watermarks::legacy));
    }

    @Test
    void timesWithoutWatermarks() {
        Graph.Watermarks marks =
                of(WatermarkStrategy.<Long>noWatermarks().withTimestampAssigner((event, before) -> event));
        assertEquals("custom", marks.strategy());
        assertTrue(marks.type().endsWith("NoWatermarksGenerator"));
    }

    @Test
    void aStrategyThatMakesNoGeneratorHereIsCustom() {
        WatermarkStrategy<Long> strategy = context -> {
            throw new IllegalStateException("not here");
        };
        assertEquals("custom", of(strategy).strategy());
        assertEquals(StrategiesTest.class.getName(), of(strategy).type());
    }
}
