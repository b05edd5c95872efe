package dev.sluice.examples.q2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.junit.jupiter.api.Test;

/** The public trip files, where they are: {@code SLUICE_DATA}, or beside the repository. */
class PublicDataTest {
    private static List<String> lines(String name) throws Exception {
        String folder = System.getenv().getOrDefault("SLUICE_DATA", "../../../shared/data");
        Path file = Path.of(folder, "q2", name);
        assumeTrue(Files.exists(file), "skipped: there is no " + file.toAbsolutePath());
        String text = Files.readString(file, StandardCharsets.UTF_8);
        return Arrays.asList(text.split("\n"));
    }

    private static List<RouteTrip> kept(List<String> lines) {
        List<Trip> trips = new ArrayList<>();
        lines.forEach(line -> new ParseTrip().flatMap(line, new ListCollector<>(trips)));
        List<Journey> journeys = new ArrayList<>();
        trips.forEach(trip -> new Locate().flatMap(trip, new ListCollector<>(journeys)));
        System.out.println(
                "q2 public data: lines=" + lines.size() + " parsed=" + trips.size() + " kept=" + journeys.size());
        return journeys.stream().map(RouteTrip::of).toList();
    }

    @Test
    void rowsOfTheChallenge() throws Exception {
        List<String> lines = lines("debs2015_sorted_data_10k.csv");
        List<RouteTrip> kept = kept(lines);
        assertEquals(10_004, lines.size());
        assertEquals(9_776, kept.size());
        Map<String, Integer> routes = new HashMap<>();
        kept.forEach(trip -> routes.merge(trip.route, 1, Integer::sum));
        assertEquals(15, Collections.max(routes.values()));
        assertEquals(15, routes.get("156.163,156.163"));
    }

    @Test
    void rowsOfTheCity() throws Exception {
        List<String> lines = lines("foil2013_trip_data_6k.csv");
        assertEquals(6_173, lines.size());
        assertEquals(5_994, kept(lines).size());
    }

    @Test
    void theCityFileIsInNoOrder() throws Exception {
        List<RouteTrip> kept = kept(lines("foil2013_trip_data_6k.csv"));
        long latest = Long.MIN_VALUE;
        long furthestBack = 0;
        for (RouteTrip trip : kept) {
            latest = Math.max(latest, trip.dropoffTime);
            furthestBack = Math.max(furthestBack, latest - trip.dropoffTime);
        }
        assertTrue(furthestBack > Duration.ofDays(7).toMillis(), "hours back: " + furthestBack / 3_600_000);
    }

    @Test
    void wholeFilesThroughTheJob() throws Exception {
        for (String name : List.of("debs2015_sorted_data_10k.csv", "foil2013_trip_data_6k.csv")) {
            List<String> lines = lines(name);
            Duration disorder = Duration.ofDays(20);
            List<String> one = new ArrayList<>(TaxiRoutesJobTest.run(lines, 1, disorder));
            List<String> three = new ArrayList<>(TaxiRoutesJobTest.run(lines, 3, disorder));
            Collections.sort(one);
            Collections.sort(three);
            assertEquals(one, three);
            System.out.println("q2 public data: " + name + " results=" + one.size());
        }
    }
}
