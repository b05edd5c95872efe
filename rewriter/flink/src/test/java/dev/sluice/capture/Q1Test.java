package dev.sluice.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;

/**
 * The graph of the main example, where its jar is built, against the one that is kept. Run with {@code -Dsluice.update=true} after
 * a change that is meant.
 */
final class Q1Test {
    private static final Path JAR = Path.of("../../examples/q1/target/q1.jar");
    private static final Path KEPT = Path.of("src/test/resources/dev/sluice/capture/q1.json");

    @Test
    void theGraphIsAsKept() throws Exception {
        assumeTrue(Files.exists(JAR));
        assumeTrue(EnvironmentInformation.getVersion().startsWith("2.")
                && Runtime.version().feature() == 17);
        String[] args = {"--brokers", "localhost:9092", "--input", "lines", "--output", "out"};
        String graph;
        try (PackagedProgram program =
                PackagedProgram.newBuilder().setJarFile(JAR.toFile()).build()) {
            CapturedJob job = Capture.run(
                    program.getMainClassName(), args, program.getUserCodeClassLoader(), new Configuration());
            graph = new String(CaptureFile.json(job.graph()), StandardCharsets.UTF_8) + "\n";
        }
        if (Boolean.getBoolean("sluice.update")) {
            Files.createDirectories(KEPT.getParent());
            Files.writeString(KEPT, graph);
        }
        assertEquals(Files.readString(KEPT), graph);
    }
}
