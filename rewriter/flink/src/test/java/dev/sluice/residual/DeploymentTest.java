package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.source.DeployedInput;
import dev.sluice.source.Frames;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeploymentTest {
    private static final DeployedInput INPUT = Frames.input("q", 8);
    private static final byte[] DEPLOYED = Deployments.queryOf(NumsJob.class, "d1", INPUT);

    private static LauncherSettings settings(String... more) {
        try {
            String[] words = {"--brokers", "b:1", "--query", "q"};
            String[] all = Stream.of(words, more).flatMap(Arrays::stream).toArray(String[]::new);
            return LauncherSettings.parse(all);
        } catch (ExitException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String refusal(byte[] deployed, String... more) {
        return assertThrows(ExitException.class, () -> Deployment.plan(deployed, settings(more)))
                .getMessage();
    }

    @Test
    void everythingComesFromTheDeployedQuery() throws ExitException {
        Plan plan = Deployment.plan(DEPLOYED, settings("--version", "1"));
        assertEquals(new Plan.Job(NumsJob.class.getName(), List.of("> \"quoted\""), "2.2.1", "d1"), plan.job());
        PlannedInput input = plan.input("nums").orElseThrow();
        assertEquals(new Prefix(1, List.of(1), 1), input.prefix());
        assertEquals(INPUT, Deployment.deployed(input));
    }

    @Test
    void whatDoesNotFitIsSaid() {
        assertTrue(refusal(DEPLOYED, "--version", "2").startsWith("version is 2, but 1"));
        assertTrue(refusal(new byte[] {0, 0, 0, 0, 1, 50}).contains("can't be read"));
        byte[] byHand = Deployments.query("q", 3, 8, "\"string\"", 12, 2);
        assertTrue(refusal(byHand).contains("a plan without a job"));
    }
}
