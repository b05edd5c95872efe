package dev.sluice.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import dev.sluice.host.Spec.StepSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChainTest {
    private static final String STRING = "\"string\"";
    private static final String LONG = "\"long\"";

    /** Throws when it sees a text for the first time. */
    static final class Shy implements MapFunction<String, String> {
        private String before;

        @Override
        public String map(String value) {
            if (!value.equals(before)) {
                before = value;
                throw new IllegalStateException("not yet");
            }
            return value;
        }
    }

    /** Emits each character, then throws at an exclamation mark. */
    static final class Spell implements FlatMapFunction<String, String> {
        @Override
        public void flatMap(String value, Collector<String> out) {
            for (char c : value.toCharArray()) {
                if (c == '!') {
                    throw new IllegalArgumentException("loud");
                }
                out.collect(String.valueOf(c));
            }
        }
    }

    static final class Length implements MapFunction<String, Long> {
        @Override
        public Long map(String value) {
            return value.isEmpty() ? null : (long) value.length();
        }
    }

    static final class Aside extends ProcessFunction<String, String> {
        @Override
        public void processElement(String value, Context context, Collector<String> out) {
            switch (value) {
                case "tag" -> context.output(new OutputTag<>("late", Types.STRING), value);
                case "timer" -> context.timerService().registerEventTimeTimer(1);
                case "watermark" -> context.timerService().currentWatermark();
                case "state" -> getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.LONG));
                default -> out.collect(String.valueOf(context.timestamp()));
            }
        }
    }

    @TempDir
    Path dir;

    private final Loaders loaders = new Loaders();

    private Path zip(String name, Map<String, Object> entries) throws IOException {
        Path path = dir.resolve(name);
        try (OutputStream file = Files.newOutputStream(path);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Map.Entry<String, Object> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(
                        entry.getValue() instanceof String text
                                ? text.getBytes(StandardCharsets.UTF_8)
                                : InstantiationUtil.serializeObject(entry.getValue()));
            }
        }
        return path;
    }

    private Chain chain(List<String> schemas, StepSpec... steps) throws Exception {
        Path capture = zip(
                "capture.zip",
                Map.of(
                        "graph.json", "{\"nodes\":[]}",
                        "config.ser", new ExecutionConfig(),
                        "types/1.ser", TypeInformation.of(Long.class),
                        "functions/1.ser", new Shy(),
                        "functions/2.ser", new Spell(),
                        "functions/3.ser", new Length(),
                        "functions/4.ser", new Aside()));
        Path jar = zip("job.jar", Map.of("empty", ""));
        List<String> types = schemas.stream()
                .map(schema -> schema.equals(LONG) ? "types/1.ser" : "")
                .toList();
        return new Chain(new Spec(jar, capture, schemas, types, List.of(steps)), loaders);
    }

    private static StepSpec step(String kind, int node) {
        return new StepSpec(kind, node, "v" + node, 0);
    }

    /** What comes out of texts with the deltas 0, 1, .. and the time 7: {@code delta@time:value}, and {@code delta!reason}. */
    private static List<String> run(Chain chain, boolean numbers, String... texts) {
        AvroOutput request = new AvroOutput(0);
        request.writeLong(texts.length);
        for (int i = 0; i < texts.length; i++) {
            request.writeInt(i);
            request.writePresent(true);
            request.writeLong(7);
            AvroOutput value = new AvroOutput(0);
            value.writeString(texts[i]);
            request.writePresent(true);
            request.writeBytes(value.array(), 0, value.position());
        }
        AvroOutput answer = new AvroOutput(0);
        chain.run(request.array(), new AvroInput(request.toByteArray(), 0), answer);
        AvroInput in = new AvroInput(answer.toByteArray(), 0);
        List<String> said = new ArrayList<>();
        for (int count = in.readFixedInt(); count > 0; count--) {
            String head = in.readInt() + "@" + (in.readPresent() ? in.readLong() : "-") + ":";
            int size = in.readFixedInt();
            said.add(head + (size < 0 ? "null" : numbers ? in.readLong() : in.readString()));
        }
        for (long deaths = in.readLong(); deaths > 0; deaths--) {
            said.add(in.readInt() + "!" + in.readString() + " " + in.readString());
        }
        assertEquals(false, in.readPresent());
        assertTrue(in.atEnd());
        return said;
    }

    @Test
    void whatThrowsOnceLives() throws Exception {
        try (Chain chain = chain(List.of(STRING, STRING), step("map", 1))) {
            assertEquals(List.of("0@7:a", "1@7:b"), run(chain, false, "a", "b"));
        }
    }

    @Test
    void nothingIsLeftOfWhatDied() throws Exception {
        try (Chain chain = chain(List.of(STRING, STRING), step("flat_map", 2))) {
            List<String> said = run(chain, false, "ab", "c!", "d");
            assertEquals(List.of("0@7:a", "0@7:b", "2@7:d"), said.subList(0, 3));
            assertTrue(said.get(3).startsWith("1!v2 java.lang.IllegalArgumentException: loud"), said.get(3));
            assertEquals(4, said.size());
        }
    }

    @Test
    void stepsFollowEachOther() throws Exception {
        try (Chain chain = chain(List.of(STRING, STRING, LONG), step("flat_map", 2), step("map", 3))) {
            assertEquals(List.of("0@7:1", "0@7:1"), run(chain, true, "ab", ""));
        }
        try (Chain chain = chain(List.of(STRING, LONG), step("map", 3))) {
            assertEquals(List.of("0@7:2", "1@7:null"), run(chain, true, "ab", ""));
        }
    }

    @Test
    void whatIsNotThereIsRefused() throws Exception {
        try (Chain chain = chain(List.of(STRING, STRING), step("process", 4))) {
            List<String> said = run(chain, false, "x", "tag", "timer", "watermark", "state");
            assertEquals("0@7:7", said.get(0));
            assertEquals(5, said.size());
            assertTrue(said.get(1).contains("side outputs"));
            assertTrue(said.get(4).contains("UnsupportedOperationException"), said.get(4));
        }
    }

    @Test
    void withoutStepsEventsPass() throws Exception {
        try (Chain chain = chain(List.of(STRING))) {
            assertEquals(List.of("0@7:a"), run(chain, false, "a"));
        }
    }

    @Test
    void aSpecMustFitTogether() {
        assertThrows(Exception.class, () -> chain(List.of(STRING, STRING), step("reduce", 1)));
        assertThrows(Exception.class, () -> chain(List.of(STRING, STRING), step("map", 77)));
    }
}
