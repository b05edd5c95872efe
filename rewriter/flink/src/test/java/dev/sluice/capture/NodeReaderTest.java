package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.io.DelimitedInputFormat;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.FileProcessingMode;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.MultipleInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.transformations.MultipleInputTransformation;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;

/** Each kind of node. */
final class NodeReaderTest {
    private static final OutputTag<String> LATE = new OutputTag<>("late", Types.STRING);

    private static final class Splitter extends ProcessFunction<Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(Long value, Context context, Collector<Long> out) {
            context.output(LATE, "late");
        }
    }

    private static final class Lookup implements AsyncFunction<Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public void asyncInvoke(Long input, ResultFuture<Long> result) {
            result.complete(List.of(input));
        }
    }

    private static final class Rules extends BroadcastProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(Long value, ReadOnlyContext context, Collector<Long> out) {}

        @Override
        public void processBroadcastElement(Long value, Context context, Collector<Long> out) {}
    }

    private static final class Joined extends ProcessJoinFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(Long left, Long right, Context context, Collector<Long> out) {}
    }

    private static final class Both implements CoMapFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public Long map1(Long value) {
            return value;
        }

        @Override
        public Long map2(Long value) {
            return value;
        }
    }

    private static final class Lines extends DelimitedInputFormat<String> {
        private static final long serialVersionUID = 1;

        @Override
        public String readRecord(String reuse, byte[] bytes, int offset, int length) {
            return new String(bytes, offset, length, StandardCharsets.UTF_8);
        }
    }

    private static final class Same implements MapFunction<Long, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public Long map(Long value) {
            return value;
        }
    }

    /** A factory of an operator of several inputs, which nothing makes here. */
    private static final class Several extends AbstractStreamOperatorFactory<Long> {
        private static final long serialVersionUID = 1;

        @Override
        public <T extends StreamOperator<Long>> T createStreamOperator(StreamOperatorParameters<Long> parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader loader) {
            return MultipleInputStreamOperator.class;
        }
    }

    private static DataStream<Long> numbers(StreamExecutionEnvironment env) {
        return env.fromSequence(1, 3);
    }

    private static void end(DataStream<?> stream) {
        stream.sinkTo(new DiscardingSink<>());
    }

    private static void check(Graph.Node node, String kind, String operator) {
        assertEquals(kind, node.kind());
        assertEquals(operator, node.operator());
    }

    @Test
    void statelessOperators() throws Exception {
        CapturedJob job = Programs.captured(env -> end(numbers(env)
                .map(new Same())
                .name("a map")
                .setParallelism(2)
                .filter(value -> value > 1)
                .name("a filter")
                .slotSharingGroup("own")
                .<Long>flatMap((value, out) -> out.collect(value))
                .returns(Types.LONG)
                .name("a flat map")
                .map(value -> Tuple3.of(value, "x", 2))
                .returns(Types.TUPLE(Types.LONG, Types.STRING, Types.INT))
                .project(2, 0)
                .name("a projection")));
        check(Programs.node(job, "a map"), "one_input", "map");
        assertTrue(Programs.node(job, "a map").parallelismSet());
        assertEquals(2, Programs.node(job, "a map").parallelism());
        check(Programs.node(job, "a filter"), "one_input", "filter");
        assertFalse(Programs.node(job, "a filter").parallelismSet());
        assertEquals("own", Programs.node(job, "a filter").slotSharingGroup());
        check(Programs.node(job, "a flat map"), "one_input", "flat_map");
        check(Programs.node(job, "a projection"), "one_input", "project");
        assertEquals(
                List.of(2, 0), Programs.node(job, "a projection").function().fields());
        assertNull(Programs.node(job, "a projection").function().serialized());
        assertEquals(32, Programs.node(job, "a map").hash().length());
        assertNotNull(Programs.node(job, "a map").output());
    }

    @Test
    void sideOutputs() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            SingleOutputStreamOperator<Long> split =
                    numbers(env).process(new Splitter()).name("split");
            end(split);
            end(split.getSideOutput(LATE));
        });
        Graph.Node split = Programs.node(job, "split");
        check(split, "one_input", "process");
        assertEquals("late", split.sideOutputs().get(0).id());
        Graph.Node side = job.graph().nodes().stream()
                .filter(node -> node.kind().equals("side_output"))
                .findFirst()
                .orElseThrow();
        assertEquals(List.of(split.id()), side.inputs());
        assertEquals(split.sideOutputs(), side.sideOutputs());
        assertNull(side.hash());
    }

    @Test
    void keyedOperators() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            end(numbers(env).keyBy(value -> value).map(new Same()).name("keyed map"));
            end(numbers(env).keyBy(value -> value).reduce(Long::sum).name("sum"));
            end(numbers(env)
                    .connect(numbers(env))
                    .keyBy(a -> a, b -> b)
                    .map(new Both())
                    .name("keyed both"));
        });
        check(Programs.node(job, "keyed map"), "one_input", "keyed");
        assertTrue(Programs.node(job, "keyed map").keyed());
        check(Programs.node(job, "sum"), "reduce", null);
        assertTrue(Programs.node(job, "sum").keyed());
        check(Programs.node(job, "keyed both"), "two_input", null);
        assertTrue(Programs.node(job, "keyed both").keyed());
    }

    @Test
    void severalInputs() throws Exception {
        MapStateDescriptor<Long, Long> state = new MapStateDescriptor<>("rules", Types.LONG, Types.LONG);
        CapturedJob job = Programs.captured(env -> {
            end(numbers(env).connect(numbers(env)).map(new Both()).name("both"));
            end(numbers(env)
                    .connect(numbers(env).broadcast(state))
                    .process(new Rules())
                    .name("rules"));
            end(numbers(env).union(numbers(env)));
            MultipleInputTransformation<Long> several =
                    new MultipleInputTransformation<>("several", new Several(), Types.LONG, 1);
            several.addInput(numbers(env).getTransformation());
            several.addInput(numbers(env).getTransformation());
            env.addOperator(several);
        });
        check(Programs.node(job, "both"), "two_input", null);
        assertFalse(Programs.node(job, "both").keyed());
        assertEquals(2, Programs.node(job, "both").inputs().size());
        check(Programs.node(job, "rules"), "broadcast_state", null);
        check(Programs.node(job, "Union"), "union", null);
        check(Programs.node(job, "several"), "multiple_input", null);
        assertEquals(
                MultipleInputStreamOperator.class.getName(),
                Programs.node(job, "several").operatorClass());
    }

    @Test
    void asyncAndWindowJoins() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            end(AsyncDataStream.unorderedWait(numbers(env), new Lookup(), 1, TimeUnit.SECONDS)
                    .name("lookup"));
            end(numbers(env)
                    .join(numbers(env))
                    .where(value -> value)
                    .equalTo(value -> value)
                    .window(GlobalWindows.create())
                    .apply(Long::sum, Types.LONG));
        });
        check(Programs.node(job, "lookup"), "one_input", "async");
        assertEquals(
                Lookup.class.getName(), Programs.node(job, "lookup").function().type());
        long taggers = job.graph().nodes().stream()
                .filter(node -> "window_tag".equals(node.operator()))
                .count();
        assertEquals(2, taggers);
    }

    @Test
    void operatorsThatNeedEventTime() throws Exception {
        Duration hour = Duration.ofHours(1);
        CapturedJob job = Programs.captured(env -> {
            KeyedStream<Long, Long> keyed = numbers(env).keyBy(value -> value);
            end(keyed.window(TumblingEventTimeWindows.of(hour)).sum(0).name("event"));
            end(numbers(env)
                    .windowAll(EventTimeSessionWindows.withGap(hour))
                    .sum(0)
                    .name("all"));
            end(keyed.window(TumblingProcessingTimeWindows.of(hour)).sum(0).name("processing"));
            end(keyed.intervalJoin(keyed)
                    .between(hour, hour)
                    .process(new Joined())
                    .name("interval"));
        });
        for (String name : List.of("event", "all", "interval")) {
            assertTrue(Programs.node(job, name).eventTime(), name);
        }
        assertFalse(Programs.node(job, "processing").eventTime());
    }

    @Test
    void partitions() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            end(numbers(env).forward().rebalance().rescale().shuffle());
            end(numbers(env).broadcast().global());
            end(numbers(env).partitionCustom((key, count) -> 0, value -> value));
            end(numbers(env).keyBy(value -> value));
        });
        List<String> partitionings = job.graph().nodes().stream()
                .filter(node -> node.kind().equals("partition"))
                .map(Graph.Node::partitioning)
                .sorted()
                .toList();
        assertEquals(
                Arrays.asList("broadcast", "custom", "forward", "global", "hash", "rebalance", "rescale", "shuffle"),
                partitionings);
        assertTrue(job.graph().nodes().stream()
                .noneMatch(node -> node.kind().equals("partition") && node.parallelismSet()));
    }

    @Test
    void assignersAndSinks() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            DataStream<Long> times = numbers(env)
                    .assignTimestampsAndWatermarks(WatermarkStrategy.<Long>forMonotonousTimestamps()
                            .withTimestampAssigner((value, before) -> value));
            times.sinkTo(new DiscardingSink<>()).name("nowhere");
            times.print().name("print");
        });
        Graph.Node assigner = Programs.node(job, "Timestamps/Watermarks");
        check(assigner, "timestamps", null);
        assertEquals(
                "watermarks/" + assigner.id() + ".ser", assigner.watermarks().serialized());
        assertNull(assigner.function());
        check(Programs.node(job, "nowhere"), "sink", null);
        assertEquals(
                DiscardingSink.class.getName(), Programs.node(job, "nowhere").operatorClass());
        assertNull(Programs.node(job, "nowhere").output());
        check(Programs.node(job, "print"), "legacy_sink", null);
        assertNotNull(Programs.node(job, "print").hash());
    }

    @Test
    void sources() throws Exception {
        CapturedJob job = Programs.captured(env -> {
            end(numbers(env));
            end(env.fromCollection(List.of("a", "b")));
            end(env.fromData("a", "b").map(text -> text).name("of data"));
            end(env.socketTextStream("localhost", 1));
            end(env.readFile(new Lines(), "/nowhere", FileProcessingMode.PROCESS_CONTINUOUSLY, 1000));
        });
        Graph.Node sequence = Programs.node(job, "Sequence Source");
        check(sequence, "source", null);
        assertEquals("opaque", sequence.source().reads());
        assertTrue(sequence.source().bounded());
        check(Programs.node(job, "Collection Source"), "legacy_source", null);
        int data = Programs.node(job, "of data").inputs().get(0);
        assertEquals("literals", job.graph().nodes().get(data - 1).source().reads());
        assertNull(job.graph().nodes().get(data - 1).watermarks(), "Flink sets a strategy that never moves");
        assertEquals(
                "literals", Programs.node(job, "Collection Source").source().reads());
        assertEquals("text", Programs.node(job, "Socket Stream").source().reads());
        assertFalse(Programs.node(job, "Socket Stream").source().bounded());
        List<Graph.Node> files = job.graph().nodes().stream()
                .filter(node -> node.source() != null && node.source().type().equals(Lines.class.getName()))
                .toList();
        check(files.get(0), "legacy_source", null);
        check(files.get(1), "one_input", "file_reader");
        assertEquals(files.get(0).source(), files.get(1).source());
        assertEquals("text", files.get(0).source().reads());
        assertFalse(files.get(0).source().bounded());
        assertEquals(List.of(files.get(0).id()), files.get(1).inputs());
    }
}
