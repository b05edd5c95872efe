package dev.sluice.equivalence;

import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The arguments decide which operators there are. */
public final class ArgumentBranch {
    private ArgumentBranch() {}

    /** Runs the job: {@code [--upper] [--above N]}. */
    public static void main(String[] args) throws Exception {
        List<String> arguments = List.of(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> lines =
                env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences");
        if (arguments.contains("--upper")) {
            lines = lines.map(String::toUpperCase).name("upper");
        }
        int above = arguments.indexOf("--above");
        if (above >= 0) {
            int length = Integer.parseInt(arguments.get(above + 1));
            lines = lines.filter(line -> line.length() > length).name("above");
        }
        lines.keyBy(String::length).reduce((one, other) -> other).print();
        env.execute("branches on arguments");
    }
}
