package dev.sluice.equivalence;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.io.DelimitedInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Files by an input format: Flink makes a monitor and a reader of it, both the source. */
public final class ReadFile {
    private static final String PATH = "readings.csv";

    private ReadFile() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.readFile(new Lines(new Path(PATH)), PATH)
                .map(String::trim)
                .flatMap(new ParseReading())
                .print();
        env.execute("read file");
    }

    private static final class Lines extends DelimitedInputFormat<String> {
        private static final long serialVersionUID = 1;

        private Lines(Path path) {
            super(path, null);
        }

        @Override
        public String readRecord(String reuse, byte[] bytes, int offset, int length) {
            return new String(bytes, offset, length, StandardCharsets.UTF_8);
        }
    }
}
