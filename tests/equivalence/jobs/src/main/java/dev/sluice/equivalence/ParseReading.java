package dev.sluice.equivalence;

import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Lines to readings; what is none is dropped. */
public class ParseReading implements FlatMapFunction<String, Reading> {
    private static final long serialVersionUID = 1;

    @Override
    public void flatMap(String line, Collector<Reading> out) {
        Reading reading = Reading.parse(line);
        if (reading != null) {
            out.collect(reading);
        }
    }
}
