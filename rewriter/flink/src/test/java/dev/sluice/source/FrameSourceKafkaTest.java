package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The source in a running job against a broker: holes, overlaps, duplicates, a failure, and restores at other widths. */
@EnabledIfSystemProperty(named = KafkaFixture.PROPERTY, matches = ".+")
class FrameSourceKafkaTest {
    private static final long EVENTS = 6_000;
    private static final List<String> DEVICES = List.of("a", "b", "c");
    private static final ConcurrentLinkedQueue<String> VIOLATIONS = new ConcurrentLinkedQueue<>();
    private static final Map<String, Long> NEXT = new HashMap<>();
    private static final AtomicBoolean FAIL = new AtomicBoolean();

    /** Each device's numbers must come once, in order, and ahead of the watermark; the state counts them. */
    private static final class Check extends KeyedProcessFunction<String, Frames.Num, String> {
        private static final long serialVersionUID = 1;
        private transient ValueState<Long> next;

        @Override
        public void processElement(Frames.Num num, Context context, Collector<String> out) throws Exception {
            if (next == null) {
                next = getRuntimeContext().getState(new ValueStateDescriptor<>("next", Types.LONG));
            }
            long expected = next.value() == null ? 0 : next.value();
            if (num.n != expected) {
                VIOLATIONS.add(num + " where " + expected + " was next");
            }
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                VIOLATIONS.add(num + " is late");
            }
            if (num.n == EVENTS / 3 && FAIL.compareAndSet(true, false)) {
                throw new IllegalStateException("a failure, as planned");
            }
            next.update(num.n + 1);
            synchronized (NEXT) {
                NEXT.put(num.device, num.n + 1);
                NEXT.notifyAll();
            }
        }
    }

    private final String query = "it" + UUID.randomUUID().toString().substring(0, 8);
    private final DeployedInput input = Frames.input(query, 2);

    private JobClient start(String brokers, Path folder, int parallelism, String restore) throws Exception {
        Configuration flink = new Configuration();
        flink.setString("execution.checkpointing.interval", "50 ms");
        flink.setString("execution.checkpointing.dir", folder.toUri().toString());
        flink.setString("restart-strategy.type", "fixed-delay");
        flink.setString("restart-strategy.fixed-delay.attempts", "3");
        flink.setString("restart-strategy.fixed-delay.delay", "50 ms");
        if (restore != null) {
            flink.setString("execution.state-recovery.path", restore);
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(flink);
        env.setParallelism(parallelism);
        env.fromSource(
                        new FrameSource<>(Frames.kafka(brokers), input, Frames.NUM),
                        WatermarkStrategy.noWatermarks(),
                        "frames")
                .uid("frames")
                .keyBy(num -> num.device)
                .process(new Check())
                .uid("check")
                .print();
        return env.executeAsync(query);
    }

    private static void await(long count) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        synchronized (NEXT) {
            while (!DEVICES.stream().allMatch(device -> NEXT.getOrDefault(device, 0L) >= count)) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                assertTrue(leftMs > 0 && VIOLATIONS.isEmpty(), () -> NEXT + ", " + VIOLATIONS);
                NEXT.wait(leftMs);
            }
        }
        assertEquals(List.of(), List.copyOf(VIOLATIONS));
    }

    /** Frames that cover {@code from..to-1} in a bounded disorder, with overlaps and repetitions. */
    private void produce(KafkaFixture kafka, long from, long to, Random random) {
        for (String device : DEVICES) {
            List<byte[]> frames = new ArrayList<>();
            for (long first = from; first < to; ) {
                long last = Math.min(to - 1, first + random.nextInt(200));
                long overlapping = Math.max(0, first - random.nextInt(30));
                frames.add(Frames.full(device, 1, overlapping, last, 1_000_000).build());
                if (random.nextInt(4) == 0) {
                    frames.add(frames.get(random.nextInt(frames.size())));
                }
                first = last + 1;
            }
            for (int i = 0; i + 5 < frames.size(); i += 5) {
                Collections.shuffle(frames.subList(i, i + 5), random);
            }
            int partition = device.equals("c") ? 1 : 0;
            frames.forEach(frame -> kafka.send(input.outTopic(), partition, device, frame));
        }
        kafka.send(input.outTopic(), 0, "x", "no frame".getBytes());
        kafka.flush();
    }

    @Test
    void everyEventOnceInOrderThroughFailureAndRestores(@TempDir Path folder) throws Exception {
        NEXT.clear();
        VIOLATIONS.clear();
        FAIL.set(true);
        Random random = new Random(3);
        try (KafkaFixture kafka = new KafkaFixture()) {
            kafka.topic(DeviceList.TOPIC, 1);
            kafka.topic(input.outTopic(), 2);
            kafka.topic(input.deadTopic(), 1);
            kafka.topic(input.lateTopic(), 1);
            for (String device : DEVICES) {
                String partition = device.equals("c") ? "1" : "0";
                kafka.send(
                        DeviceList.TOPIC,
                        0,
                        query + "/nums/" + device,
                        ("{\"partition\":" + partition + "}").getBytes());
            }
            JobClient job = start(kafka.brokers(), folder, 2, null);
            long third = EVENTS / 3;
            produce(kafka, 0, third + 100, random);
            await(third + 100);
            assertTrue(!FAIL.get(), "the failure happened");
            String savepoint = stop(job, folder);
            produce(kafka, third + 100, 2 * third, random);
            job = start(kafka.brokers(), folder, 1, savepoint);
            await(2 * third);
            savepoint = stop(job, folder);
            job = start(kafka.brokers(), folder, 4, savepoint);
            produce(kafka, 2 * third, EVENTS, random);
            await(EVENTS);
            stop(job, folder);
            assertTrue(kafka.read(input.deadTopic(), 3).size() >= 3, "copies are at least once");
            assertTrue(kafka.committed(input.group(), input.outTopic(), 0) > 0);
        }
    }

    private static String stop(JobClient job, Path folder) throws Exception {
        return job.stopWithSavepoint(
                        false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }
}
