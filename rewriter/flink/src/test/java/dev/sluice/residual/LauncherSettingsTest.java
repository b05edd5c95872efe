package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherSettingsTest {
    @Test
    void readsTheCommandLine() throws ExitException {
        LauncherSettings settings = LauncherSettings.parse(
                "--brokers",
                "b:1",
                "--query",
                "q1",
                "--version",
                "3",
                "--kafka.security.protocol",
                "SSL",
                "--parallelism",
                "4");
        assertEquals("b:1", settings.kafka().get("bootstrap.servers"));
        assertEquals("SSL", settings.kafka().get("security.protocol"));
        assertEquals(3, settings.version());
        assertEquals(4, settings.parallelism());
        assertNull(settings.checkpointDir());
        assertEquals(LauncherSettings.NONE, settings.restore());
    }

    @Test
    void theCommandLineWinsOverTheFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("residual.properties"), "brokers=b:1\nquery=q1\nrest-port=7\ncheckpoint-dir=/c\n");
        LauncherSettings settings = LauncherSettings.parse("--config", file.toString(), "--query", "q2");
        assertEquals("q2", settings.query());
        assertEquals(7, settings.restPort());
        assertEquals("/c", settings.checkpointDir());
        assertEquals(10_000, settings.checkpointMs());
    }

    @Test
    void reportsEveryProblemAtOnce() {
        ExitException problem = assertThrows(
                ExitException.class,
                () -> LauncherSettings.parse(
                        "--config",
                        "no/such/file",
                        "--colour",
                        "blue",
                        "--parallelism",
                        "many",
                        "--rest-port",
                        "70000",
                        "--restore",
                        "latest",
                        "word",
                        "x",
                        "--version"));
        assertEquals(ExitException.USAGE, problem.code());
        for (String name : List.of(
                "config",
                "colour is unknown",
                "parallelism must",
                "rest-port must",
                "restore is latest",
                "word is no name",
                "--version has no value",
                "brokers is missing",
                "query is missing")) {
            assertTrue(problem.getMessage().contains(name), problem.getMessage());
        }
    }
}
