package dev.sluice.examples.q1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class AirQualityJobTest {
    /** Weeks of tumbling windows begin on Thursdays, as the epoch did. */
    private static final LocalDate THURSDAY = LocalDate.of(2016, 1, 14);

    private static String row(LocalDate date, String mean, int aqi) {
        String line = Rows.plainWith(11, date.toString());
        return line.replace(",10.2,10.2,0,43.0,", "," + mean + ",10.2,0," + aqi + ",");
    }

    @Test
    void weeksAndAlerts() throws Exception {
        List<String> lines = List.of(
                "no row",
                row(THURSDAY.plusDays(1), "30.25", 90),
                row(THURSDAY, "50.004", 137),
                row(THURSDAY.plusDays(6), "26.001", 81),
                row(THURSDAY.plusDays(7), "1.5", 6));
        List<String> results = new ArrayList<>();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
        try (CloseableIterator<String> result =
                AirQualityJob.results(AirQualityJob.prefix(env.fromData(lines))).executeAndCollect()) {
            result.forEachRemaining(results::add);
        }
        Collections.sort(results);
        long week = THURSDAY.toEpochDay() * 86_400_000L;
        assertEquals(
                List.of(
                        "01-073-0023," + week + ",3,106255,35418,137,Unhealthy for Sensitive Groups",
                        "01-073-0023," + (week + 604_800_000L) + ",1,1500,1500,6,Good",
                        "ALERT,01-073-0023," + week + ",35418"),
                results);
    }

    @Test
    void keyOfALine() {
        assertEquals("01-073-0023", SiteWeek.siteOf("01-073-0023,0,1,1,1,1,Good"));
        assertEquals("01-073-0023", SiteWeek.siteOf("ALERT,01-073-0023,0,1"));
    }

    @Test
    void argumentsAreChecked() {
        assertEquals(3, Args.parse("--parallelism", "3").parallelism);
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--nonsense", "1"));
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--group"));
        assertThrows(IllegalArgumentException.class, () -> Args.required("--brokers", null));
    }
}
