package dev.sluice.corpus;

import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.Collector;

/** Functions that may move, though a careless look would say no. */
final class Harmless {
    public static void main(String[] args) throws Exception {
        Job job = new Job();
        double factor = 1.8;
        String[] units = {"F", "C"};
        Map<String, String> names = new HashMap<>();
        names.put("a", "Alpha");
        switch (args[0]) {
            case "lazy" -> job.run(job.readings().map(new Lazy()).name("moves"));
            case "lazy-shaded" -> job.run(job.lines("lines").map(new LazyShaded()).name("moves"));
            case "lazy-own-class" -> job.run(job.readings().map(new LazyOwn()).name("moves"));
            case "static-helper" -> job.run(job.readings().map(Harmless::formatted).name("moves"));
            case "open" -> job.run(job.readings().map(new Opened()).name("moves"));
            case "captured" -> job.run(job.readings()
                    .map(r -> names.getOrDefault(r.site, units[1]) + r.value * factor)
                    .returns(String.class)
                    .name("moves"));
            case "instance-lambda" -> job.run(new Scale(3).apply(job));
            case "factories" -> job.run(job.readings().map(new Factories()).name("moves"));
            case "copies" -> job.run(job.readings().map(new Copies()).name("moves"));
            case "changes-event" -> job.run(job.readings().map(new InPlace()).name("moves"));
            case "collections" -> job.run(job.lines("lines").flatMap(new Words()).name("moves"));
            case "streams" -> job.run(job.lines("lines").map(new Streams()).name("moves"));
            case "base-class" -> job.run(job.lines("lines").map(new Typed<>(Reading.class)).name("moves"));
            case "interface" -> job.run(job.readings().map(new Two(new Twice(), v -> v + 1)).name("moves"));
            case "notes" -> job.run(job.readings().map(new Noted()).name("moves"));
            case "enum-and-record" -> job.run(job.readings().map(Band::of).name("moves"));
            case "library-method" -> job.run(job.lines("lines").map(String::trim).name("moves"));
            case "loops" -> job.run(job.lines("lines").filter(new Balanced()).name("moves"));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static final class Lazy implements MapFunction<Reading, String> {
        private transient Pattern pattern;
        private transient SimpleDateFormat format;

        @Override
        public String map(Reading reading) {
            if (pattern == null) {
                pattern = Pattern.compile("[a-z]+");
                format = new SimpleDateFormat("yyyy");
            }
            return pattern.matcher(reading.site).matches() ? format.format(new Date(reading.time)) : "";
        }
    }

    static final class LazyShaded implements MapFunction<String, String> {
        private transient ObjectMapper mapper;

        @Override
        public String map(String line) throws Exception {
            if (mapper == null) {
                mapper = new ObjectMapper();
                mapper.configure(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS, true);
            }
            return mapper.readTree(line).path("site").asText();
        }
    }

    static final class LazyOwn implements MapFunction<Reading, String> {
        private transient Formatter formatter;

        @Override
        public String map(Reading reading) {
            if (formatter == null) {
                formatter = new Formatter("site ");
            }
            return formatter.format(reading);
        }
    }

    static final class Formatter {
        private final String prefix;

        Formatter(String prefix) {
            this.prefix = prefix;
        }

        String format(Reading reading) {
            return prefix + reading.site;
        }
    }

    private static Formatter shared;

    static String formatted(Reading reading) {
        if (shared == null) {
            shared = new Formatter("at ");
        }
        return shared.format(reading);
    }

    static final class Opened extends RichMapFunction<Reading, String> {
        private transient Map<String, String> names;
        private transient Counter events;
        private int subtask;

        @Override
        public void open(OpenContext context) {
            names = new HashMap<>();
            names.put("a", "Alpha");
            events = getRuntimeContext().getMetricGroup().counter("events");
            subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        }

        @Override
        public String map(Reading reading) {
            events.inc();
            return names.get(reading.site) + subtask;
        }
    }

    static final class Scale implements java.io.Serializable {
        private final double factor;

        Scale(double factor) {
            this.factor = factor;
        }

        org.apache.flink.streaming.api.datastream.DataStream<Double> apply(Job job) {
            return job.readings().map(reading -> reading.value * factor).name("moves");
        }
    }

    static final class Factories implements MapFunction<Reading, Reading> {
        @Override
        public Reading map(Reading reading) {
            Reading copy = new Reading();
            fill(copy, reading);
            return copy;
        }

        private static void fill(Reading to, Reading from) {
            to.time = from.time;
            to.site = from.site;
            to.value = from.value;
        }
    }

    static final class Copies implements MapFunction<Reading, Integer> {
        private final List<String> defaults = new ArrayList<>(List.of("a", "b"));

        @Override
        public Integer map(Reading reading) {
            List<String> copy = new ArrayList<>(defaults);
            copy.add(reading.site);
            return copy.size();
        }
    }

    static final class InPlace implements MapFunction<Reading, Reading> {
        @Override
        public Reading map(Reading reading) {
            reading.value = (reading.value - 32) / 1.8;
            return reading;
        }
    }

    static final class Words implements FlatMapFunction<String, Tuple2<String, Integer>> {
        @Override
        public void flatMap(String line, Collector<Tuple2<String, Integer>> out) {
            Map<String, Integer> counts = new HashMap<>();
            for (String word : line.toLowerCase().split("\\W+")) {
                counts.merge(word, 1, Integer::sum);
            }
            counts.forEach((word, count) -> out.collect(Tuple2.of(word, count)));
        }
    }

    static final class Streams implements MapFunction<String, String> {
        @Override
        public String map(String line) {
            return Arrays.stream(line.split(","))
                    .filter(part -> !part.isBlank())
                    .sorted(Comparator.comparing(String::length).reversed())
                    .collect(Collectors.joining(";"));
        }
    }

    abstract static class Base<T> extends RichMapFunction<String, T> {
        private final Class<T> type;

        Base(Class<T> type) {
            this.type = type;
        }

        abstract T parse(String line);

        @Override
        public T map(String line) {
            T parsed = parse(line);
            return type.isInstance(parsed) ? parsed : null;
        }
    }

    static final class Typed<T> extends Base<T>
            implements org.apache.flink.api.java.typeutils.ResultTypeQueryable<Reading> {
        Typed(Class<T> type) {
            super(type);
        }

        @Override
        @SuppressWarnings("unchecked")
        T parse(String line) {
            return (T) Reading.parse(line);
        }

        @Override
        public org.apache.flink.api.common.typeinfo.TypeInformation<Reading> getProducedType() {
            return org.apache.flink.api.common.typeinfo.TypeInformation.of(Reading.class);
        }
    }

    interface Change extends java.io.Serializable {
        double apply(double value);
    }

    static final class Twice implements Change {
        @Override
        public double apply(double value) {
            return 2 * value;
        }
    }

    static final class Two implements MapFunction<Reading, Double> {
        private final Change one;
        private final Change other;

        Two(Change one, Change other) {
            this.one = one;
            this.other = other;
        }

        @Override
        public Double map(Reading reading) {
            Function<Double, Double> both = value -> one.apply(value) + 1;
            return both.andThen(value -> -value).apply(reading.value);
        }
    }

    static final class Noted implements MapFunction<Reading, String> {
        private final Random random = new Random();

        @Override
        public String map(Reading reading) throws InterruptedException {
            Thread.sleep(1);
            System.out.println(reading.site);
            String home = System.getenv("HOME");
            int chance = random.nextInt(10) + ThreadLocalRandom.current().nextInt();
            return home + chance + System.currentTimeMillis();
        }
    }

    public enum Level {
        LOW,
        HIGH;

        static Level of(double value) {
            return value < 50 ? LOW : HIGH;
        }
    }

    public record Band(String site, Level level) {
        static Band of(Reading reading) {
            Level level = Level.of(reading.value);
            return switch (level) {
                case LOW -> new Band(reading.site, level);
                case HIGH -> new Band(reading.site.toUpperCase(), level);
            };
        }
    }

    static final class Balanced implements FilterFunction<String> {
        @Override
        public boolean filter(String line) {
            StringBuilder stack = new StringBuilder();
            int[] counts = new int[2];
            long total = 0;
            for (int i = 0; i < line.length(); i++) {
                char c = line.charAt(i);
                if (c == '(') {
                    stack.append(c);
                    counts[0]++;
                } else if (c == ')') {
                    counts[1]++;
                    try {
                        stack.setLength(stack.length() - 1);
                    } catch (StringIndexOutOfBoundsException none) {
                        return false;
                    }
                }
                total += c;
            }
            return stack.length() == 0 && total > 0 && counts[0] == counts[1];
        }
    }

    private Harmless() {}
}
