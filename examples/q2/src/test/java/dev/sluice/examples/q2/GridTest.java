package dev.sluice.examples.q2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.junit.jupiter.api.Test;

class GridTest {
    @Test
    void theFirstCellLiesAroundItsCentre() {
        assertEquals(1, Grid.east(-74.913585));
        assertEquals(1, Grid.south(41.474937));
        assertEquals(1, Grid.east(-74.913585 + 0.0029));
        assertEquals(2, Grid.east(-74.913585 + 0.0031));
        assertEquals(0, Grid.east(-74.913585 - 0.0031));
        assertEquals(2, Grid.south(41.474937 - 0.0023));
        assertEquals(0, Grid.south(41.474937 + 0.0023));
    }

    @Test
    void cellsAreCountedToTheEastAndTheSouth() {
        assertEquals(300, Grid.east(-74.913585 + 299 * 0.005986));
        assertEquals(300, Grid.south(41.474937 - 299 * 0.004491556));
        assertTrue(Grid.contains(1, 300));
        assertFalse(Grid.contains(0, 5));
        assertFalse(Grid.contains(5, 301));
    }

    @Test
    void whatIsNoNumberIsInNoCell() {
        for (double odd : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertFalse(Grid.contains(Grid.east(odd), 1));
            assertFalse(Grid.contains(1, Grid.south(odd)));
        }
    }

    @Test
    void tripsBeyondTheGridAreDropped() {
        assertEquals(List.of("161.170,160.170"), routes(Lines.DEBS));
        assertEquals(List.of(), routes(Lines.debsWith(6, "-75.5")));
        assertEquals(List.of(), routes(Lines.debsWith(9, "39.9")));
    }

    private static List<String> routes(String line) {
        List<Journey> journeys = new ArrayList<>();
        new Locate().flatMap(ParseTrip.parse(line), new ListCollector<>(journeys));
        return journeys.stream().map(journey -> RouteTrip.of(journey).route).toList();
    }
}
