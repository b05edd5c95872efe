package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command, in a process of its own. */
final class CaptureMainTest {
    private static final long DEADLINE_S = 60;
    private static final String IN_LIBRARY = "name-of-the-job.txt";

    @TempDir
    Path folder;

    /** A job whose name stands in a library of its jar. */
    public static final class FromLibrary {
        private FromLibrary() {}

        public static void main(String[] args) throws Exception {
            System.out.println("said by main");
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.fromSequence(1, 3).map(number -> number + args.length).sinkTo(new DiscardingSink<>());
            try (InputStream name =
                    Thread.currentThread().getContextClassLoader().getResourceAsStream(IN_LIBRARY)) {
                env.execute(new String(name.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    /** Ends the process. */
    public static final class Exits {
        private Exits() {}

        public static void main(String[] args) {
            System.err.println("usage: Exits FILE");
            System.exit(3);
        }
    }

    private record Result(int code, String output) {}

    private Result run(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                CaptureMain.class.getName()));
        command.addAll(List.of(args));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            fail("no end: " + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    private static void refused(String part, Result result) {
        assertEquals(64, result.code(), result.output());
        String[] lines = result.output().strip().split("\n");
        String last = lines[lines.length - 1];
        assertTrue(last.startsWith("sluice capture: ") && last.contains(part), result.output());
    }

    private Path jar(Class<?> main, boolean withMain) throws IOException {
        ByteArrayOutputStream library = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(library)) {
            jar.putNextEntry(new ZipEntry(IN_LIBRARY));
            jar.write("named".getBytes(StandardCharsets.UTF_8));
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (withMain) {
            manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, main.getName());
        }
        Path path = folder.resolve("job.jar");
        String resource = main.getName().replace('.', '/') + ".class";
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(path), manifest);
                InputStream bytes = main.getClassLoader().getResourceAsStream(resource)) {
            jar.putNextEntry(new ZipEntry(resource));
            bytes.transferTo(jar);
            jar.putNextEntry(new ZipEntry("lib/inner.jar"));
            jar.write(library.toByteArray());
        }
        return path;
    }

    @Test
    void aJarIsCapturedTwiceInEqualBytes() throws Exception {
        String jar = jar(FromLibrary.class, true).toString();
        Path out = folder.resolve("capture.zip");
        Result result = run("--jar", jar, "--out", out.toString(), "--", "a", "--b");
        assertEquals(0, result.code(), result.output());
        assertTrue(result.output().contains("said by main"), result.output());
        assertTrue(result.output().contains("captured named, 3 nodes"), result.output());
        try (ZipFile zip = new ZipFile(out.toFile())) {
            assertEquals(
                    List.of(
                            "config.ser",
                            "constants/2.json",
                            "functions/2.ser",
                            "graph.json",
                            "types/1.ser",
                            "types/2.ser"),
                    zip.stream().map(ZipEntry::getName).toList());
            JsonNode graph = new ObjectMapper().readTree(zip.getInputStream(zip.getEntry("graph.json")));
            assertEquals("--b", graph.at("/job/args/1").asText());
            assertEquals(64, graph.at("/job/jar_sha256").asText().length());
        }
        byte[] first = Files.readAllBytes(out);
        run("--jar", jar, "--out", out.toString(), "--", "a", "--b");
        assertArrayEquals(first, Files.readAllBytes(out));
    }

    @Test
    void anExitIsNoticed() throws Exception {
        Result result = run(
                "--jar",
                jar(Exits.class, true).toString(),
                "--out",
                folder.resolve("c").toString());
        refused("main ended the process at " + Exits.class.getName() + ".main(CaptureMainTest.java:", result);
        assertTrue(result.output().contains("usage: Exits FILE"), result.output());
    }

    @Test
    void whatIsWrongWithTheJarIsSaid() throws Exception {
        String out = folder.resolve("c").toString();
        refused("Main-Class", run("--jar", jar(Exits.class, false).toString(), "--out", out));
        refused("no.Such", run("--jar", jar(Exits.class, true).toString(), "--main", "no.Such", "--out", out));
        refused("can't be read", run("--jar", folder.resolve("none.jar").toString(), "--out", out));
    }

    @Test
    void whatIsWrongWithTheCommandIsSaid() throws Exception {
        refused("--out is missing", run("--jar", "x"));
    }
}
