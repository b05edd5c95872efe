package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ResidualConfigTest {
    private static Properties good() {
        Properties properties = new Properties();
        properties.setProperty("brokers", "127.0.0.1:9092");
        properties.setProperty("kafka.security.protocol", "SSL");
        properties.setProperty("query", "q1");
        properties.setProperty("input", "readings");
        properties.setProperty("type", "a.B");
        properties.setProperty("method", "a.C#run");
        properties.setProperty("args", "--output  x");
        return properties;
    }

    @Test
    void readsSettings() throws ExitException {
        ResidualConfig config = ResidualConfig.parse(good());
        assertEquals("127.0.0.1:9092", config.kafka().get("bootstrap.servers"));
        assertEquals("SSL", config.kafka().get("security.protocol"));
        assertArrayEquals(new String[] {"--output", "x"}, config.args());
        assertNull(config.version());
        assertEquals(1, config.parallelism());
        assertEquals("none", config.restore());
    }

    @Test
    void reportsEveryProblemAtOnce() {
        Properties properties = good();
        properties.remove("query");
        properties.setProperty("method", "run");
        properties.setProperty("parallelism", "many");
        properties.setProperty("rest.port", "70000");
        properties.setProperty("restore", "latest");
        properties.setProperty("colour", "blue");
        ExitException problem = assertThrows(ExitException.class, () -> ResidualConfig.parse(properties));
        assertEquals(ExitException.USAGE, problem.code());
        for (String name : new String[] {"query", "method", "parallelism", "rest.port", "restore", "colour"}) {
            assertTrue(problem.getMessage().contains(name), problem.getMessage());
        }
    }

    @Test
    void anUnreadableFileIsNamed() {
        ExitException problem =
                assertThrows(ExitException.class, () -> ResidualConfig.load(Path.of("no", "such", "file")));
        assertEquals(ExitException.USAGE, problem.code());
        assertTrue(problem.getMessage().contains("such"));
    }

    @Test
    void classesAndMethodsMustBeThere() {
        Properties properties = good();
        ExitException type = assertThrows(ExitException.class, () -> new ResidualJob(ResidualConfig.parse(properties)));
        assertTrue(type.getMessage().startsWith("type is a.B"), type.getMessage());
        properties.setProperty("type", "java.lang.String");
        properties.setProperty("method", "java.lang.String#valueOf");
        ExitException method =
                assertThrows(ExitException.class, () -> new ResidualJob(ResidualConfig.parse(properties)));
        assertTrue(method.getMessage().startsWith("method is"), method.getMessage());
    }
}
