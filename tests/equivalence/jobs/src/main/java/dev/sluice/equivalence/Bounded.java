package dev.sluice.equivalence;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** Event time of readings. */
final class Bounded {
    /** How far readings may be out of order. */
    static final Duration DISORDER = Duration.ofSeconds(5);

    private Bounded() {}

    /** By the time of the reading, out of order up to the bound. */
    static WatermarkStrategy<Reading> byTime() {
        return WatermarkStrategy.<Reading>forBoundedOutOfOrderness(DISORDER)
                .withTimestampAssigner((reading, before) -> reading.time);
    }

    /** The time of a line: its second column, 0 where there is none. */
    static long timeOf(String line) {
        String[] parts = line.split(",", -1);
        try {
            return parts.length > 1 ? Long.parseLong(parts[1]) : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
