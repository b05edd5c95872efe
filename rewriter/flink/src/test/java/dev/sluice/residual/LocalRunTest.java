package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.avro.AvroOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole jobs and split ones give the same. */
class LocalRunTest {
    private static final String TUPLE = "{\"type\":\"record\",\"name\":\"dev.sluice.value.Tuple2_1\",\"fields\":["
            + "{\"name\":\"f0\",\"type\":[\"null\",\"string\"]},{\"name\":\"f1\",\"type\":[\"null\",\"long\"]}]}";
    private static LocalCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        cluster = new LocalCluster();
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    private Path events(String name, List<String> texts) throws IOException {
        Path file = folder.resolve(name + ".events");
        try (EventFile.Writer out = new EventFile.Writer(file)) {
            for (String text : texts) {
                AvroOutput value = new AvroOutput(16);
                value.writeString(text);
                out.write(new EventFile.Event(null, value.toByteArray()));
            }
        }
        return file;
    }

    private static List<String> disordered(int count) {
        Random random = new Random(7);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add("key" + random.nextInt(3) + " " + Math.max(0, i * 10 - random.nextInt(200)));
        }
        return texts;
    }

    private Map<Integer, List<String>> run(Class<?> job, LocalRequest.Mode mode, Path plan, Map<String, Path> inputs)
            throws Exception {
        Path out = folder.resolve(mode.name());
        LocalRequest request = new LocalRequest(null, job.getName(), List.of(), plan, mode, inputs, out);
        Map<Integer, List<String>> written = new HashMap<>();
        for (LocalJob.Recorded recorded : LocalRun.run(request, cluster)) {
            List<String> lines = mode == LocalRequest.Mode.PREFIX
                    ? List.of()
                    : Files.readAllLines(recorded.file()).stream().sorted().toList();
            written.put(recorded.node(), lines);
        }
        return written;
    }

    /** Runs a job whole and split; the files are those of its inputs. Returns what its sinks got. */
    private Map<Integer, List<String>> compare(Class<?> job, Map<String, Path> inputs, String... planned)
            throws Exception {
        Path plan = Files.writeString(folder.resolve("plan.json"), Plans.json(planned));
        Map<Integer, List<String>> whole = run(job, LocalRequest.Mode.UNSPLIT, plan, inputs);
        run(job, LocalRequest.Mode.PREFIX, plan, inputs);
        Map<String, Path> outputs = new LinkedHashMap<>();
        inputs.keySet()
                .forEach(name -> outputs.put(
                        name, folder.resolve(LocalRequest.Mode.PREFIX.name()).resolve(name + ".events")));
        assertEquals(whole, run(job, LocalRequest.Mode.SPLIT, plan, outputs));
        return whole;
    }

    @Test
    void windowsAndLateData() throws Exception {
        Map<Integer, List<String>> sinks = compare(
                Shapes.Windows.class,
                Map.of("in", events("in", disordered(200))),
                Plans.input("in", TUPLE, 1, List.of(1, 2, 3, 4), 4));
        assertEquals(2, sinks.size());
        assertTrue(sinks.values().stream().noneMatch(List::isEmpty), "some events are late");
    }

    @Test
    void severalReaders() throws Exception {
        Map<Integer, List<String>> sinks = compare(
                Shapes.FanOut.class,
                Map.of("in", events("in", List.of("a 1", "b 2", "a 3"))),
                Plans.input("in", TUPLE, 1, List.of(1, 2), 2));
        assertEquals(
                List.of(3, 4), sinks.values().stream().map(List::size).sorted().toList());
    }

    @Test
    void severalInputs() throws Exception {
        Map<Integer, List<String>> sinks = compare(
                Shapes.TwoInputs.class,
                Map.of("left", events("left", List.of("a 1", "b 2")), "right", events("right", List.of("x"))),
                Plans.input("left", TUPLE, 1, List.of(1, 2), 2),
                Plans.input("right", "\"string\"", 3, List.of(3), 3));
        assertEquals(List.of(3, 3), sinks.values().stream().map(List::size).toList());
    }

    @Test
    void theSourceAlone() throws Exception {
        Map<Integer, List<String>> sinks = compare(
                Shapes.SourceOnly.class,
                Map.of("in", events("in", List.of("a 5", "b 3", "c 9"))),
                Plans.input("in", "\"string\"", 1, List.of(1), 1));
        List<String> lines = sinks.values().iterator().next();
        assertTrue(lines.get(0).endsWith("b 3 behind 4"), lines.toString());
        assertTrue(lines.get(2).endsWith("c 9 behind 4"), lines.toString());
    }

    @Test
    void linesOfFiles() throws Exception {
        assumeTrue(Stream.of(StreamExecutionEnvironment.class.getMethods())
                .anyMatch(method -> method.getName().equals("readTextFile")));
        Map<Integer, List<String>> sinks = compare(
                Shapes.TextFile.class,
                Map.of("in", events("in", List.of("a 5", "a 3"))),
                Plans.input("in", TUPLE, 1, List.of(1, 2, 3), 3));
        assertTrue(sinks.values().iterator().next().get(1).endsWith("(a,8)"), sinks.toString());
    }

    @Test
    void legacySources() throws Exception {
        Map<Integer, List<String>> sinks = compare(
                Shapes.Placed.class,
                Map.of("in", events("in", List.of("a 5", "a 3"))),
                Plans.input("in", TUPLE, 1, List.of(1, 2), 2));
        assertEquals(List.of(2, 2), sinks.values().stream().map(List::size).toList());
    }

    @Test
    void saysWhatDoesNotFit() throws Exception {
        Path in = events("in", List.of("a 5"));
        Path plan = Files.writeString(
                folder.resolve("plan.json"), Plans.json(Plans.input("in", TUPLE, 1, List.of(1, 2, 3), 3)));
        Exception inside = assertThrows(
                IllegalArgumentException.class,
                () -> run(Shapes.Windows.class, LocalRequest.Mode.UNSPLIT, plan, Map.of("nothing", in)));
        assertTrue(inside.getMessage().contains("nothing"), inside.getMessage());
        Exception words = assertThrows(
                IllegalArgumentException.class,
                () -> LocalRequest.parse(new String[] {"--mode", "half", "--colour", "blue", "--input", "x"}));
        for (String each : List.of("main is missing", "out is missing", "mode must be", "--colour", "NAME=FILE")) {
            assertTrue(words.getMessage().contains(each), words.getMessage());
        }
    }

    @Test
    void anotherPlanCanNotBeCut() throws Exception {
        Path in = events("in", List.of("a 5"));
        Path plan = Files.writeString(
                folder.resolve("plan.json"), Plans.json(Plans.input("in", "\"string\"", 1, List.of(1, 2), 1)));
        Exception inside = assertThrows(
                IllegalArgumentException.class,
                () -> run(Shapes.FanOut.class, LocalRequest.Mode.SPLIT, plan, Map.of("in", in)));
        assertTrue(inside.getMessage().contains("inside the part that moved"), inside.getMessage());
    }

    @Test
    void requestsAreLinesOfJson() {
        LocalRequest request = LocalRequest.parseJson("{\"main\":\"a.B\",\"mode\":\"unsplit\",\"plan\":null,"
                + "\"inputs\":{\"in\":\"in.events\"},\"out\":\"o\",\"args\":[\"--x\",\"1\"]}");
        assertEquals(
                LocalRequest.parse(new String[] {
                    "--main", "a.B", "--mode", "unsplit", "--input", "in=in.events", "--out", "o", "--", "--x", "1"
                }),
                request);
    }
}
