package dev.sluice.equivalence;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** Objects of every kind of field between operators that move. */
public final class RichTypes {
    private RichTypes() {}

    /** How a value is. */
    public enum Level {
        /** Below 10. */
        LOW,
        /** Up to 50. */
        MIDDLE,
        /** Above. */
        HIGH
    }

    /** A place. */
    public static class Place {
        /** Its name. */
        public String name;
        /** Its floor; null outdoors. */
        public Integer floor;
    }

    /** A bit of everything. */
    public static class Everything {
        private Level level;
        private boolean good;
        /** Small numbers. */
        public byte small;
        /** Small numbers. */
        public short shorter;
        /** A letter. */
        public char letter;
        /** A float. */
        public float ratio;
        /** Boxed, often null. */
        public Long count;
        /** Nested, often null. */
        public Place place;
        /** An array of primitives. */
        public int[] digits;
        /** An array of objects, with nulls. */
        public String[] parts;
        /** Bytes. */
        public byte[] raw;
        /** Nested in a list. */
        public List<Place> places;
        /** By name. */
        public Map<String, Long> counts;
        /** By number. */
        public Map<Integer, Level> levels;
        /** Of arbitrary size. */
        public BigDecimal exact;
        /** A point in time. */
        public Instant when;

        /** How it is. */
        public Level getLevel() {
            return level;
        }

        /** How it is. */
        public void setLevel(Level level) {
            this.level = level;
        }

        /** Whether it is good. */
        public boolean isGood() {
            return good;
        }

        /** Whether it is good. */
        public void setGood(boolean good) {
            this.good = good;
        }
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new Make())
                .map(RichTypes::turn)
                .filter(everything -> everything.digits.length != 3)
                .map(RichTypes::tell)
                .print();
        env.execute("rich types");
    }

    private static final class Make implements FlatMapFunction<String, Everything> {
        private static final long serialVersionUID = 1;

        @Override
        public void flatMap(String line, Collector<Everything> out) {
            Reading reading = Reading.parse(line);
            if (reading == null) {
                return;
            }
            Everything it = new Everything();
            double value = reading.valueOrZero();
            it.level = reading.value == null ? null : value < 10 ? Level.LOW : value > 50 ? Level.HIGH : Level.MIDDLE;
            it.good = value > 0;
            it.small = (byte) value;
            it.shorter = (short) (value * 100);
            it.letter = reading.sensor.charAt(0);
            it.ratio = (float) value / 7;
            it.count = it.good ? Long.valueOf(reading.time) : null;
            it.place = it.good ? place(reading.sensor, null) : null;
            it.digits = new int[] {(int) value / 10, (int) value % 10};
            it.parts = new String[] {reading.sensor, null, ""};
            it.raw = line.getBytes();
            it.places = new ArrayList<>(List.of(place("here", 1), place("there", null)));
            it.counts = new HashMap<>(Map.of(reading.sensor, reading.time));
            it.levels = new HashMap<>(Map.of(3, Level.HIGH));
            it.exact = reading.value == null ? null : BigDecimal.valueOf(reading.value);
            it.when = Instant.ofEpochMilli(reading.time);
            out.collect(it);
        }
    }

    private static Place place(String name, Integer floor) {
        Place place = new Place();
        place.name = name;
        place.floor = floor;
        return place;
    }

    private static Everything turn(Everything it) {
        it.good = !it.good;
        it.level = it.level == Level.LOW ? Level.HIGH : it.level;
        it.parts[1] = it.parts[0];
        it.digits = it.digits[0] == 0 ? new int[] {it.digits[1], 1, 2} : it.digits;
        it.places.add(it.place == null ? place("nowhere", -1) : it.place);
        it.counts.put("letter", (long) it.letter);
        return it;
    }

    private static String tell(Everything it) {
        StringBuilder text = new StringBuilder();
        text.append(it.level)
                .append(it.good)
                .append(it.small)
                .append(' ')
                .append(it.shorter)
                .append(it.letter);
        text.append(it.ratio).append(' ').append(it.count).append(it.place == null ? "" : it.place.name);
        text.append(it.digits[0]).append(it.parts[1]).append(it.raw.length).append(it.places.size());
        text.append(it.places.get(2).name).append(it.places.get(1).floor).append(it.counts.get("letter"));
        text.append(it.levels).append(it.exact).append(it.when);
        return text.toString();
    }
}
