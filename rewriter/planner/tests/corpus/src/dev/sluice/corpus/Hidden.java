package dev.sluice.corpus;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Functions that must not move, each of which the graph alone would let move. */
final class Hidden {
    /** Each case is a job of its own: {@code main} with its name. */
    public static void main(String[] args) throws Exception {
        Job job = new Job();
        List<Double> seen = new ArrayList<>();
        prefix = args[0];
        switch (args[0]) {
            case "field" -> job.run(job.readings().map(new Number()).name("moves-not"));
            case "static" -> job.run(job.readings().map(new StaticNumber()).name("moves-not"));
            case "list" -> job.run(job.readings().filter(new Seen()).name("moves-not"));
            case "map" -> job.run(job.readings().map(new PerSite()).name("moves-not"));
            case "array" -> job.run(job.readings().map(new Window()).name("moves-not"));
            case "atomic" -> job.run(job.readings().map(new Atomic()).name("moves-not"));
            case "reused" -> job.run(job.readings().flatMap(new Reused()).name("moves-not"));
            case "nested" -> job.run(job.readings().map(new Nested()).name("moves-not"));
            case "alias" -> job.run(job.readings().map(new Alias()).name("moves-not"));
            case "copied-container" -> job.run(job.readings().map(new Copied()).name("moves-not"));
            case "captured" -> job.run(job.readings()
                    .map(reading -> {
                        seen.add(reading.value);
                        return reading;
                    })
                    .returns(Reading.class)
                    .name("moves-not"));
            case "base-class" -> job.run(job.readings().map(new Below()).name("moves-not"));
            case "inner-lambda" -> job.run(job.readings().map(new InnerLambda()).name("moves-not"));
            case "interface" -> job.run(job.readings().map(new Chosen(new Adding())).name("moves-not"));
            case "interface-lambda" -> job.run(job.readings()
                    .map(new Chosen(value -> {
                        seen.add(value);
                        return seen.size();
                    }))
                    .name("moves-not"));
            case "method-reference" -> job.run(job.readings().map(r -> r.value).filter(seen::add).name("moves-not"));
            case "first" -> job.run(job.readings().filter(new First()).name("moves-not"));
            case "first-object" -> job.run(job.readings().filter(new FirstObject()).name("moves-not"));
            case "foreign-static" -> job.run(job.readings().map(new Prefixed()).name("moves-not"));
            case "state" -> job.run(job.readings().map(new WithState()).name("moves-not"));
            case "timers" -> job.run(job.readings().process(new Timing()).name("moves-not"));
            case "output" -> job.run(job.readings().process(new Aside()).name("moves-not"));
            case "file" -> job.run(job.readings().map(new ReadsFile()).name("moves-not"));
            case "file-in-open" -> job.run(job.readings().map(new OpensFile()).name("moves-not"));
            case "thread" -> job.run(job.readings().map(new Working()).name("moves-not"));
            case "exit" -> job.run(job.readings().map(new Exits()).name("moves-not"));
            case "reflection" -> job.run(job.readings().map(new Reflects()).name("moves-not"));
            case "missing" -> job.run(job.readings().map(new UsesGone()).name("moves-not"));
            case "unknown-function" -> job.run(job.readings().map(new Calls(String::length)).name("moves-not"));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static String prefix = "";

    static final class Number implements MapFunction<Reading, String> {
        private long number;

        @Override
        public String map(Reading reading) {
            return number++ + " " + reading.site;
        }
    }

    static final class StaticNumber implements MapFunction<Reading, String> {
        private static long number;

        @Override
        public String map(Reading reading) {
            number += 1;
            return number + " " + reading.site;
        }
    }

    static final class Seen implements FilterFunction<Reading> {
        private final Set<String> seen = new HashSet<>();

        @Override
        public boolean filter(Reading reading) {
            return seen.add(reading.site);
        }
    }

    static final class PerSite implements MapFunction<Reading, Integer> {
        private final Map<String, List<Double>> values = new HashMap<>();

        @Override
        public Integer map(Reading reading) {
            List<Double> list = values.get(reading.site);
            list.add(reading.value);
            return list.size();
        }
    }

    static final class Window implements MapFunction<Reading, Double> {
        private final double[] last = new double[4];

        @Override
        public Double map(Reading reading) {
            int at = (int) (reading.time % last.length);
            double before = last[at];
            last[at] = reading.value;
            return before;
        }
    }

    static final class Atomic implements MapFunction<Reading, Long> {
        private static final AtomicLong COUNT = new AtomicLong();

        @Override
        public Long map(Reading reading) {
            return COUNT.incrementAndGet();
        }
    }

    /** One output object for all events: harmless here, but not for certain. */
    static final class Reused implements FlatMapFunction<Reading, Tuple2<String, Double>> {
        private final Tuple2<String, Double> out = new Tuple2<>();

        @Override
        public void flatMap(Reading reading, Collector<Tuple2<String, Double>> collector) {
            out.f0 = reading.site;
            out.f1 = reading.value;
            collector.collect(out);
        }
    }

    static final class Nested implements MapFunction<Reading, Double> {
        private final Sum sum = new Sum();

        @Override
        public Double map(Reading reading) {
            return sum.plus(reading.value);
        }
    }

    static final class Sum implements java.io.Serializable {
        private double total;

        double plus(double value) {
            total += value;
            return total;
        }
    }

    /** The list gets into an object of this call, and is changed there. */
    static final class Alias implements MapFunction<Reading, Integer> {
        private final List<Double> values = new ArrayList<>();

        @Override
        public Integer map(Reading reading) {
            Holder holder = new Holder();
            holder.list = values;
            holder.list.add(reading.value);
            return holder.list.size();
        }
    }

    static final class Holder {
        List<Double> list;
    }

    /** The copy is new, but what is in it is not. */
    static final class Copied implements MapFunction<Reading, Double> {
        private final List<Sum> sums = new ArrayList<>(List.of(new Sum()));

        @Override
        public Double map(Reading reading) {
            return new ArrayList<>(sums).get(0).plus(reading.value);
        }
    }

    abstract static class Above implements MapFunction<Reading, Double> {
        private double highest;

        double highest(double value) {
            highest = Math.max(highest, value);
            return highest;
        }
    }

    static final class Below extends Above {
        @Override
        public Double map(Reading reading) {
            return highest(reading.value);
        }
    }

    static final class InnerLambda implements MapFunction<Reading, Integer> {
        private final Map<String, Integer> counts = new HashMap<>();

        @Override
        public Integer map(Reading reading) {
            List.of(reading.site).forEach(site -> counts.merge(site, 1, Integer::sum));
            return counts.size();
        }
    }

    interface Step extends java.io.Serializable {
        double apply(double value);
    }

    static final class Adding implements Step {
        private double total;

        @Override
        public double apply(double value) {
            total += value;
            return total;
        }
    }

    static final class Chosen implements MapFunction<Reading, Double> {
        private final Step step;

        Chosen(Step step) {
            this.step = step;
        }

        @Override
        public Double map(Reading reading) {
            return step.apply(reading.value);
        }
    }

    static final class First implements FilterFunction<Reading> {
        private transient boolean past;

        @Override
        public boolean filter(Reading reading) {
            boolean first = !past;
            past = true;
            return first;
        }
    }

    static final class FirstObject implements FilterFunction<Reading> {
        private transient Sum first;

        @Override
        public boolean filter(Reading reading) {
            if (first == null) {
                first = new Sum();
                first.total = reading.value;
                return true;
            }
            return first.total == reading.value;
        }
    }

    static final class Prefixed implements MapFunction<Reading, String> {
        @Override
        public String map(Reading reading) {
            return prefix + reading.site;
        }
    }

    static final class WithState extends RichMapFunction<Reading, Long> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
        }

        @Override
        public Long map(Reading reading) throws IOException {
            Long before = count.value();
            count.update(before == null ? 1 : before + 1);
            return before;
        }
    }

    static final class Timing extends ProcessFunction<Reading, Reading> {
        @Override
        public void processElement(Reading reading, Context context, Collector<Reading> out) {
            context.timerService().registerEventTimeTimer(reading.time + 1);
            out.collect(reading);
        }
    }

    static final class Aside extends ProcessFunction<Reading, Reading> {
        private static final OutputTag<Reading> TAG = new OutputTag<Reading>("aside") {};

        @Override
        public void processElement(Reading reading, Context context, Collector<Reading> out) {
            context.output(TAG, reading);
        }
    }

    static final class ReadsFile implements MapFunction<Reading, String> {
        @Override
        public String map(Reading reading) throws IOException {
            try (BufferedReader reader = new BufferedReader(new FileReader(reading.site))) {
                return reader.readLine();
            }
        }
    }

    static final class OpensFile extends RichMapFunction<Reading, String> {
        private transient String header;

        @Override
        public void open(OpenContext context) throws IOException {
            try (BufferedReader reader = new BufferedReader(new FileReader("header"))) {
                header = reader.readLine();
            }
        }

        @Override
        public String map(Reading reading) {
            return header + reading.site;
        }
    }

    static final class Working implements MapFunction<Reading, Reading> {
        @Override
        public Reading map(Reading reading) {
            CompletableFuture.runAsync(() -> {});
            return reading;
        }
    }

    static final class Exits implements MapFunction<Reading, Reading> {
        @Override
        public Reading map(Reading reading) {
            if (reading.value < 0) {
                System.exit(1);
            }
            return reading;
        }
    }

    static final class Reflects implements MapFunction<Reading, String> {
        @Override
        public String map(Reading reading) throws ReflectiveOperationException {
            return (String) Reading.class.getMethod("toString").invoke(reading);
        }
    }

    static final class UsesGone implements MapFunction<Reading, Double> {
        @Override
        public Double map(Reading reading) {
            return Gone.twice(reading.value);
        }
    }

    interface Measure extends java.util.function.Function<String, Integer>, java.io.Serializable {}

    static final class Calls implements MapFunction<Reading, Integer> {
        private final java.util.function.Function<String, Integer> function;

        Calls(Measure function) {
            this.function = function;
        }

        @Override
        public Integer map(Reading reading) {
            return function.apply(reading.site);
        }
    }

    private Hidden() {}
}
