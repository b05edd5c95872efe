package dev.example;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** Functions as people write them. */
public final class Good {
    private Good() {}

    /** {@code name,value}; what is no number throws. */
    public static final class Parse implements MapFunction<String, Reading> {
        @Override
        public Reading map(String line) {
            String[] parts = line.split(",");
            return new Reading(parts[0], Long.parseLong(parts[1]));
        }
    }

    /** Drops what is below zero. */
    public static final class Keep implements FilterFunction<Reading> {
        @Override
        public boolean filter(Reading reading) {
            return reading.value >= 0;
        }
    }

    /** Emits an object as often as its value says, the same each time with another level. */
    public static final class Repeat implements FlatMapFunction<Reading, Reading> {
        @Override
        public void flatMap(Reading reading, Collector<Reading> out) {
            for (int i = 0; i < reading.value; i++) {
                reading.level = i;
                out.collect(reading);
            }
        }
    }

    /** Emits whatever happens behind it. */
    public static final class Careless implements FlatMapFunction<Reading, Reading> {
        @Override
        public void flatMap(Reading reading, Collector<Reading> out) {
            try {
                out.collect(reading);
            } catch (RuntimeException e) {
                out.collect(new Reading("caught", 0));
            }
        }
    }

    /** Throws at the value 13. */
    public static final class Superstitious implements MapFunction<Reading, Reading> {
        @Override
        public Reading map(Reading reading) {
            if (reading.value == 13) {
                throw new IllegalStateException("thirteen");
            }
            return reading;
        }
    }

    /** Puts the event's time in the place of the value. */
    public static final class Stamp extends ProcessFunction<Reading, Reading> {
        @Override
        public void processElement(Reading reading, Context context, Collector<Reading> out) {
            reading.value = context.timestamp();
            reading.level = context.timerService().currentProcessingTime() > 0 ? 1 : 0;
            out.collect(reading);
        }
    }

    /** The bytes of the source; what is empty gives nothing. */
    public static final class Schema implements DeserializationSchema<Reading> {
        private transient Counter counter;

        @Override
        public void open(InitializationContext context) {
            counter = context.getMetricGroup().addGroup("user").counter("seen");
        }

        @Override
        public Reading deserialize(byte[] message) {
            counter.inc();
            return message.length == 0
                    ? null
                    : new Reading(new String(message, StandardCharsets.UTF_8), message.length);
        }

        @Override
        public boolean isEndOfStream(Reading next) {
            return false;
        }

        @Override
        public TypeInformation<Reading> getProducedType() {
            return TypeInformation.of(Reading.class);
        }
    }

    /** Each second event's time is a watermark, and each frame's end adds one. */
    public static final class Alternating implements WatermarkGenerator<String> {
        private long seen;
        private long frames;

        @Override
        public void onEvent(String event, long time, WatermarkOutput output) {
            if (++seen % 2 == 0) {
                output.emitWatermark(new Watermark(time));
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(new Watermark(++frames));
        }
    }

    /** Says what it sees of Flink. */
    public static final class Look extends RichMapFunction<String, String> {
        private String seen;

        @Override
        public void open(OpenContext context) {
            var runtime = getRuntimeContext();
            runtime.getMetricGroup().gauge("one", () -> 1);
            runtime.getIntCounter("count").add(3);
            seen = runtime.getTaskInfo().getIndexOfThisSubtask() + "/"
                    + runtime.getTaskInfo().getNumberOfParallelSubtasks() + " "
                    + runtime.getTaskInfo().getTaskName() + " "
                    + (runtime.getUserCodeClassLoader() == Look.class.getClassLoader()) + " "
                    + (Thread.currentThread().getContextClassLoader() == Look.class.getClassLoader());
        }

        @Override
        public String map(String value) {
            return value + " " + seen + " "
                    + getRuntimeContext().getIntCounter("count").getLocalValue();
        }
    }
}
