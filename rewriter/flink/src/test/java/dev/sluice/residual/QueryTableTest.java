package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.source.DeployedInput;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class QueryTableTest {
    private static final byte[] DEPLOYED = Deployments.query("q", 3, 8, "\"string\"", 12, 2);

    private static ResidualConfig config(String input, String version) throws ExitException {
        Properties properties = new Properties();
        properties.setProperty("brokers", "b:1");
        properties.setProperty("query", "q");
        properties.setProperty("input", input);
        properties.setProperty("type", "java.lang.String");
        properties.setProperty("method", "a#b");
        if (version != null) {
            properties.setProperty("version", version);
        }
        return ResidualConfig.parse(properties);
    }

    @Test
    void takesTheInputFromTheDeployedQuery() throws ExitException {
        DeployedInput input = QueryTable.input(DEPLOYED, config("nums", null));
        assertEquals("q.3.nums.out", input.outTopic());
        assertEquals("sluice.q.nums.residual", input.group());
        assertEquals(8, input.partitions());
        assertEquals("\"string\"", input.valueSchema());
        assertEquals(12, input.frameSchemaId());
        assertEquals(2, input.operators());
        assertEquals(31, input.deadSchemaId());
        assertEquals(Duration.ofSeconds(30), input.timing().idleAfter());
        assertEquals(Duration.ofMinutes(10), input.timing().holeLimit());
        assertEquals(64L << 20, input.timing().heldBytes());
    }

    private static String refusal(byte[] deployed, String input, String version) {
        return assertThrows(ExitException.class, () -> QueryTable.input(deployed, config(input, version)))
                .getMessage();
    }

    @Test
    void namesTheSettingThatDoesNotFit() {
        assertTrue(refusal(DEPLOYED, "other", null).startsWith("input is other"));
        assertTrue(refusal(DEPLOYED, "nums", "2").startsWith("version is 2, but 3"));
        assertTrue(refusal(new byte[] {0, 0, 0, 0, 1, 50}, "nums", null).contains("can't be read"));
    }
}
