package dev.sluice.equivalence;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A function that looks at the disk stays where the job runs. */
public final class ReadsFile {
    private ReadsFile() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(String::trim)
                .map(new Exists())
                .filter(line -> !line.startsWith("true"))
                .print();
        env.execute("reads a file");
    }

    private static final class Exists implements MapFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public String map(String name) {
            boolean safe = !name.isEmpty() && name.chars().allMatch(Character::isLetter);
            return (safe && Files.exists(Path.of("no such folder", name))) + " " + name;
        }
    }
}
