package dev.sluice.examples.q4;

import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The mood of a topic in one hour. Sums are of whole numbers, so their order does not matter. */
public class TopicHour {
    /** A text counts as positive from this score on, as negative from its opposite down. */
    private static final int CLEAR = 500;

    public String topic;

    /** Start of the hour, epoch milliseconds. */
    public long startMs;

    public long count;

    /** Sum of the scores, ten-thousandths. */
    public long sum;

    public long positive;
    public long negative;

    public TopicHour() {}

    void add(Mood mood) {
        count++;
        sum += mood.score;
        if (mood.score >= CLEAR) {
            positive++;
        } else if (mood.score <= -CLEAR) {
            negative++;
        }
    }

    void add(TopicHour other) {
        count += other.count;
        sum += other.sum;
        positive += other.positive;
        negative += other.negative;
    }

    /** {@code topic,hourStartMs,count,positive,negative,sum,mean}, the last two in ten-thousandths. */
    String line() {
        return topic + "," + startMs + "," + count + "," + positive + "," + negative + "," + sum + ","
                + Math.floorDiv(sum, count);
    }

    static final class Sum implements AggregateFunction<Mood, TopicHour, TopicHour> {
        private static final long serialVersionUID = 1;

        @Override
        public TopicHour createAccumulator() {
            return new TopicHour();
        }

        @Override
        public TopicHour add(Mood mood, TopicHour hour) {
            hour.add(mood);
            return hour;
        }

        @Override
        public TopicHour getResult(TopicHour hour) {
            return hour;
        }

        @Override
        public TopicHour merge(TopicHour one, TopicHour other) {
            one.add(other);
            return one;
        }
    }

    /** Makes a line of an hour, with its topic and start. */
    static final class Line extends ProcessWindowFunction<TopicHour, String, String, TimeWindow> {
        private static final long serialVersionUID = 1;

        @Override
        public void process(String topic, Context context, Iterable<TopicHour> hours, Collector<String> out) {
            TopicHour hour = hours.iterator().next();
            hour.topic = topic;
            hour.startMs = context.window().getStart();
            out.collect(hour.line());
        }
    }
}
