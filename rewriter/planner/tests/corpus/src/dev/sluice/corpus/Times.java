package dev.sluice.corpus;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.timestamps.AscendingTimestampExtractor;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/** Where event time is assigned. */
final class Times {
    static final class AtSource {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.lines("lines", Job.lineTime().withIdleness(Duration.ofSeconds(9))).map(Reading::parse));
        }
    }

    static final class Between {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings()
                    .assignTimestampsAndWatermarks(Job.readingTime())
                    .uid("event-time")
                    .filter(reading -> reading.value > 0)
                    .name("positive"));
        }
    }

    static final class Ascending {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings()
                    .assignTimestampsAndWatermarks(WatermarkStrategy.<Reading>forMonotonousTimestamps()
                            .withTimestampAssigner((reading, before) -> reading.time)));
        }
    }

    static final class Twice {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            DataStream<Reading> readings = job.lines("lines", Job.lineTime()).map(Reading::parse);
            job.run(readings.assignTimestampsAndWatermarks(Job.readingTime()).uid("again"));
        }
    }

    static final class CustomAtSource {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.lines("lines")
                    .assignTimestampsAndWatermarks(custom(Times::timeOf))
                    .uid("own-marks")
                    .map(Reading::parse));
        }
    }

    static final class CustomBehind {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings()
                    .assignTimestampsAndWatermarks(custom((Reading reading) -> reading.time))
                    .uid("own-marks"));
        }
    }

    static final class Aligned {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            WatermarkStrategy<String> aligned =
                    Job.lineTime().withWatermarkAlignment("all", Duration.ofSeconds(1));
            job.run(job.lines("lines", aligned).map(Reading::parse));
        }
    }

    /** Kafka's own time, which no device knows. */
    static final class RecordTime {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            WatermarkStrategy<String> marks =
                    WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(1));
            job.run(job.lines("lines", marks).map(Reading::parse));
        }
    }

    static final class RecordTimeBehind {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings()
                    .assignTimestampsAndWatermarks(
                            WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(1)))
                    .uid("event-time"));
        }
    }

    /** The same in silence: windows by event time, and no strategy anywhere. */
    static final class RecordTimeInWindow {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.readings()
                    .keyBy(reading -> reading.site)
                    .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                    .maxBy("value")
                    .name("highest")
                    .sinkTo(new DiscardingSink<>());
            job.env.execute("corpus");
        }
    }

    /** Nothing but the windows of the assigned stream go by event time. */
    static final class AssignedLater {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.readings()
                    .keyBy(reading -> reading.site)
                    .max("value")
                    .assignTimestampsAndWatermarks(Job.readingTime())
                    .windowAll(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                    .maxBy("value")
                    .name("highest")
                    .sinkTo(new DiscardingSink<>());
            job.env.execute("corpus");
        }
    }

    /** Flink's base class calls the method under its own name. */
    static final class LegacyAscending {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.readings().assignTimestampsAndWatermarks(new Rising()));
        }
    }

    static final class Rising extends AscendingTimestampExtractor<Reading> {
        @Override
        public long extractAscendingTimestamp(Reading reading) {
            return reading.time;
        }
    }

    /** Reading the time is fine once it is assigned. */
    static final class ReadsTime {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.lines("lines", Job.lineTime()).process(new Stamp()).name("stamp"));
        }
    }

    static final class ReadsTimeTooEarly {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.lines("lines").process(new Stamp()).name("stamp"));
        }
    }

    static final class ReadsWatermark {
        public static void main(String[] args) throws Exception {
            Job job = new Job();
            job.run(job.lines("lines", Job.lineTime()).process(new Late()).name("late"));
        }
    }

    static final class Stamp extends ProcessFunction<String, String> {
        @Override
        public void processElement(String line, Context context, Collector<String> out) {
            out.collect(context.timestamp() + " " + line);
        }
    }

    static final class Late extends ProcessFunction<String, String> {
        @Override
        public void processElement(String line, Context context, Collector<String> out) {
            if (context.timestamp() > context.timerService().currentWatermark()) {
                out.collect(line);
            }
        }
    }

    static long timeOf(String line) {
        return Long.parseLong(line.split(",")[0]);
    }

    interface TimeOf<T> extends java.io.Serializable {
        long of(T event);
    }

    static <T> WatermarkStrategy<T> custom(TimeOf<T> time) {
        return WatermarkStrategy.<T>forGenerator(context -> new Punctuated<>())
                .withTimestampAssigner((event, before) -> time.of(event));
    }

    static final class Punctuated<T> implements WatermarkGenerator<T> {
        @Override
        public void onEvent(T event, long time, WatermarkOutput output) {
            output.emitWatermark(new Watermark(time - 7));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {}
    }

    private Times() {}
}
