package dev.sluice.examples.q3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public files of 40 households, where they are: {@code SLUICE_DATA}, or beside the repository. */
class PublicDataTest {
    private static final double THRESHOLD_KWH = 2.0;

    private static Path folder() {
        Path folder = Path.of(System.getenv().getOrDefault("SLUICE_DATA", "../../../shared/data"), "q3");
        assumeTrue(Files.exists(folder), "skipped: there is no " + folder.toAbsolutePath());
        return folder;
    }

    private static List<String> lines(Path file) throws Exception {
        return Arrays.asList(Files.readString(file, StandardCharsets.UTF_8).split("\n"));
    }

    /** The lines of each household, headers first. */
    private static Map<String, List<String>> households() throws Exception {
        Map<String, List<String>> households = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder().resolve("halfhourly"))) {
            for (Path file : files.toList()) {
                households.put(file.getFileName().toString().replace(".csv", ""), lines(file));
            }
        }
        return households;
    }

    /** The device of each household. */
    private static Map<String, String> devices() throws Exception {
        Map<String, String> devices = new HashMap<>();
        for (String line : lines(folder().resolve("device_assignment.csv"))) {
            String[] columns = line.split(",");
            devices.put(columns[1], columns[0]);
        }
        return devices;
    }

    @Test
    void rowsAndHowManyPassTheThreshold() throws Exception {
        Map<String, String> devices = devices();
        Map<String, Integer> passed = new TreeMap<>();
        int rows = 0;
        int parsed = 0;
        for (Map.Entry<String, List<String>> household : households().entrySet()) {
            rows += household.getValue().size() - 1;
            for (String line : household.getValue()) {
                Reading reading = Reading.parse(line);
                if (reading != null) {
                    parsed++;
                    int passes = reading.kwh > THRESHOLD_KWH ? 1 : 0;
                    passed.merge(devices.get(household.getKey()), passes, Integer::sum);
                }
            }
        }
        System.out.println("q3 public data: rows=" + rows + " parsed=" + parsed + " passed by device=" + passed);
        assertEquals(669_757, rows);
        assertEquals(669_757, parsed);
        assertEquals(Map.of("1", 8_028, "2", 0, "3", 0, "4", 0, "5", 1_840), passed);
    }

    @Test
    void allHouseholdsThroughTheJobAsTheirMetersCount() throws Exception {
        List<Reading> readings = new ArrayList<>();
        for (List<String> household : households().values()) {
            household.stream().map(Reading::parse).filter(r -> r != null).forEach(readings::add);
        }
        readings.sort(Comparator.comparingLong(reading -> reading.time));
        List<String> lines = readings.stream().map(PublicDataTest::line).toList();
        List<String> results = MeterSpikesJobTest.run(lines, 1);
        long spikes = results.stream().filter(line -> line.startsWith("SPIKE,")).count();
        long counted = results.stream()
                .filter(line -> !line.startsWith("SPIKE,"))
                .mapToLong(line -> Long.parseLong(line.split(",")[2]))
                .sum();
        System.out.println("q3 public data: days=" + (results.size() - spikes) + " spikes=" + spikes);
        assertEquals(9_868, counted);
        assertEquals(results, MeterSpikesJobTest.run(lines, 2));
    }

    private static String line(Reading reading) {
        String time =
                Instant.ofEpochMilli(reading.time).toString().replace('T', ' ').replace("Z", "");
        return reading.household + "," + time + ", " + reading.kwh + " ";
    }
}
