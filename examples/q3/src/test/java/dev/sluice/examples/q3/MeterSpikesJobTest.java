package dev.sluice.examples.q3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class MeterSpikesJobTest {
    private static final long DAY = 1_356_998_400_000L;
    private static final long DAY_MS = 86_400_000;
    private static final long HALF_HOUR_MS = 1_800_000;
    private static final String HEADER = "LCLid,tstp,energy(kWh/hh)";
    private static final String END = "END";

    static List<String> run(List<String> lines, int parallelism) throws Exception {
        List<String> results = new ArrayList<>();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
        // Flink has no source without elements.
        List<String> ended = new ArrayList<>(lines);
        ended.add(END);
        DataStream<String> input = env.fromData(ended, Types.STRING).filter(line -> !line.equals(END));
        try (CloseableIterator<String> result =
                MeterSpikesJob.spikes(input, 2.0).executeAndCollect()) {
            result.forEachRemaining(results::add);
        }
        Collections.sort(results);
        return results;
    }

    private static List<String> run(String... lines) throws Exception {
        return run(List.of(lines), 1);
    }

    @Test
    void daysAndSpikes() throws Exception {
        assertEquals(
                List.of(
                        "MAC1," + DAY + ",3,0,24600000,8200000",
                        "MAC1," + (DAY + DAY_MS) + ",1,0,4200000,4200000",
                        "MAC2," + DAY + ",1,0,4000200,4000200",
                        "SPIKE,MAC1," + (DAY + 2 * HALF_HOUR_MS) + ",16000000,8200000"),
                run(
                        HEADER,
                        "MAC1,2013-01-01 00:00:00, 2.1 ",
                        "MAC2,2013-01-01 00:00:00, 2.0 ",
                        "MAC1,2013-01-01 00:30:00, Null ",
                        "MAC2,2013-01-01 00:30:00, 2.0001 ",
                        "MAC1,Std,2013-01-01 01:00:00.0000000, 8.0 ,ACORN-A,Affluent",
                        "MAC1,2013-01-01 01:30:00, NA ",
                        "MAC1,2013-01-01 23:30:00, 2.2 \r",
                        "MAC1,2013-01-02 00:00:00, 2.1 "));
    }

    @Test
    void repeatedRowsCountOnce() throws Exception {
        assertEquals(
                List.of("MAC1," + DAY + ",2,3,10500000,5250000"),
                run(
                        "MAC1,2013-01-01 00:00:00, 2.5 ",
                        "MAC1,2013-01-01 00:30:00, 2.75 ",
                        "MAC1,2013-01-01 00:00:00, 2.5 ",
                        "MAC1,2013-01-01 00:30:00, 2.6 ",
                        "MAC1,2013-01-01 00:00:00, 2.5 "));
    }

    @Test
    void disorderWithinTheBoundChangesNothing() throws Exception {
        String[] ordered = {
            "MAC1,2013-01-01 22:30:00, 2.5 ", "MAC1,2013-01-01 23:30:00, 2.6 ", "MAC1,2013-01-02 00:30:00, 2.7 "
        };
        assertEquals(run(ordered), run(ordered[2], ordered[0], ordered[1]));
    }

    @Test
    void timeMayStandJumpAndEnd() throws Exception {
        List<String> results = run(
                "STOPS,2013-01-01 00:00:00, 2.5 ",
                "GOES,2013-01-01 00:00:00, 2.5 ",
                "GOES,2013-06-01 00:00:00, 2.5 ",
                "GOES,2013-06-01 00:30:00, 2.5 ");
        assertEquals(3, results.size());
        assertEquals("STOPS," + DAY + ",1,0,5000000,5000000", results.get(2));
    }

    @Test
    void smallLoadsPassNothing() throws Exception {
        assertEquals(List.of(), run("MAC1,2013-01-01 00:00:00, 1.999 ", "MAC1,2014-01-01 00:00:00, 0 "));
    }

    @Test
    void emptyAndHeaderOnlyInputsGiveNothing() throws Exception {
        assertEquals(List.of(), run(List.of(), 1));
        assertEquals(List.of(), run(""));
        assertEquals(List.of(), run("\uFEFF" + HEADER + "\r"));
    }

    @Test
    void keyOfALine() {
        assertEquals("MAC1", DailySpikes.householdOf("MAC1,0,1,0,1,1"));
        assertEquals("MAC1", DailySpikes.householdOf("SPIKE,MAC1,0,1,1"));
    }

    @Test
    void argumentsAreChecked() {
        assertEquals(1.5, Args.parse("--threshold-kwh", "1.5").thresholdKwh);
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--nonsense", "1"));
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--group"));
        assertThrows(IllegalArgumentException.class, () -> Args.required("--brokers", null));
    }
}
