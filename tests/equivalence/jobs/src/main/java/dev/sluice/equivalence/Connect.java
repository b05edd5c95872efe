package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;

/** Two streams of different type connected without a key. */
public final class Connect {
    private Connect() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Reading> readings = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading());
        DataStream<Integer> lengths = env.fromSource(
                        Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(String::trim)
                .map(String::length);
        readings.connect(lengths).map(new Both()).print();
        env.execute("connect");
    }

    private static final class Both implements CoMapFunction<Reading, Integer, String> {
        private static final long serialVersionUID = 1;

        @Override
        public String map1(Reading reading) {
            return "reading " + reading;
        }

        @Override
        public String map2(Integer length) {
            return "length " + length;
        }
    }
}
