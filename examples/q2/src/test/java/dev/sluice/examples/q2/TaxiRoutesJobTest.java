package dev.sluice.examples.q2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class TaxiRoutesJobTest {
    /** The end of the first window of {@link Lines#DEBS}: 2013-01-01 00:05. */
    private static final long FIRST_END = 1_356_998_700_000L;

    private static final long SLIDE_MS = 300_000;
    private static final String END = "END";

    /** A trip that ends at a time, {@code cell} cells east of cell 161.170. */
    private static String trip(String dropoff, int cell) {
        String[] columns = Lines.DEBS.split(",");
        columns[2] = "2012-12-31 00:00:00";
        columns[3] = dropoff;
        columns[8] = String.valueOf(-73.95 + 0.005986 * cell);
        return String.join(",", columns);
    }

    static List<String> run(List<String> lines, int parallelism, Duration disorder) throws Exception {
        List<String> results = new ArrayList<>();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
        // Flink has no source without elements.
        List<String> ended = new ArrayList<>(lines);
        ended.add(END);
        DataStream<String> input = env.fromData(ended, Types.STRING).filter(line -> !line.equals(END));
        try (CloseableIterator<String> result =
                TaxiRoutesJob.topRoutes(TaxiRoutesJob.trips(input, disorder)).executeAndCollect()) {
            result.forEachRemaining(results::add);
        }
        return results;
    }

    private static List<String> run(String... lines) throws Exception {
        return run(List.of(lines), 1, Duration.ofMinutes(10));
    }

    @Test
    void everyWindowOfATripHasIt() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int slide = 0; slide < 6; slide++) {
            expected.add("161.170,160.170," + (FIRST_END + slide * SLIDE_MS) + ",1,1");
        }
        assertEquals(expected, run("no trip", Lines.DEBS));
    }

    @Test
    void tenRoutesAtMostAndEqualOnesByName() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int cell = 0; cell < 12; cell++) {
            for (int trips = 0; trips <= cell / 4; trips++) {
                lines.add(trip("2013-01-01 00:01:00", cell));
            }
        }
        List<String> first =
                run(lines.toArray(new String[0])).stream().limit(10).toList();
        List<String> expected = new ArrayList<>();
        int[] cells = {8, 9, 10, 11, 4, 5, 6, 7, 0, 1};
        for (int rank = 0; rank < 10; rank++) {
            expected.add("161.170," + (162 + cells[rank]) + ".170," + FIRST_END + "," + (rank + 1) + ","
                    + (cells[rank] / 4 + 1));
        }
        assertEquals(expected, first);
    }

    @Test
    void disorderWithinTheBoundChangesNothing() throws Exception {
        String[] ordered = {
            trip("2013-01-01 00:01:00", 1), trip("2013-01-01 00:06:00", 2), trip("2013-01-01 00:11:00", 1)
        };
        String[] stepsBack = {ordered[2], ordered[0], ordered[1]};
        assertEquals(run(ordered), run(stepsBack));
    }

    @Test
    void timeMayJump() throws Exception {
        List<String> results =
                run(trip("2013-01-01 00:01:00", 1), trip("2013-03-01 00:01:00", 1), trip("2013-03-01 00:01:00", 1));
        assertEquals(12, results.size());
        assertEquals(6, results.stream().filter(line -> line.endsWith(",1,2")).count());
    }

    @Test
    void emptyAndHeaderOnlyInputsGiveNothing() throws Exception {
        assertEquals(List.of(), run(""));
        assertEquals(List.of(), run(Lines.CITY_HEADER));
        assertEquals(List.of(), run(List.of(), 1, Duration.ZERO));
    }

    @Test
    void bothFormsCountTogether() throws Exception {
        String city = Lines.CITY
                .replace("2013-01-13 04:36:00,2013-01-13 04:46:07", "2013-01-01 00:00:00,2013-01-01 00:04:59")
                .replace("-73.996933,40.720055,-73.993546,40.69304", "-73.956528,40.716976,-73.962440,40.715008");
        List<String> results = run(Lines.DEBS, city);
        assertEquals("161.170,160.170," + FIRST_END + ",1,2", results.get(0));
    }

    @Test
    void theOrderOfDevicesDoesNotMatter() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int minute = 0; minute < 50; minute++) {
            for (int cell = 0; cell < 1 + minute % 17; cell++) {
                lines.add(trip(String.format("2013-01-01 00:%02d:00", minute), cell));
            }
        }
        List<String> one = new ArrayList<>(run(lines, 1, Duration.ofHours(1)));
        List<String> several = new ArrayList<>(run(lines, 3, Duration.ofHours(1)));
        Collections.sort(one);
        Collections.sort(several);
        assertEquals(one, several);
    }

    @Test
    void keyOfALine() {
        assertEquals("1356998700000", TaxiRoutesJob.windowOf("161.170,160.170,1356998700000,1,1"));
    }

    @Test
    void argumentsAreChecked() {
        assertEquals(Duration.ofMinutes(3), Args.parse("--disorder-minutes", "3").disorder);
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--nonsense", "1"));
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--group"));
        assertThrows(IllegalArgumentException.class, () -> Args.required("--brokers", null));
    }
}
