package dev.sluice.equivalence;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;

/** A look-up that answers later ends what moves. */
public final class AsyncLookup {
    private AsyncLookup() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> sensors = env.fromSource(
                        Topics.lines("readings"), WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .map(reading -> reading.sensor);
        AsyncDataStream.orderedWait(sensors, new Lookup(), 1, TimeUnit.MINUTES, 20)
                .print();
        env.execute("async");
    }

    private static final class Lookup implements AsyncFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public void asyncInvoke(String sensor, ResultFuture<String> result) {
            CompletableFuture.runAsync(() -> result.complete(List.of(sensor + " in room " + sensor.length())));
        }
    }
}
