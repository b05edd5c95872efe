package dev.sluice.equivalence;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The lines of files. */
public final class FileLines {
    private FileLines() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        FileSource<String> source = FileSource.forRecordStreamFormat(
                        new TextLineInputFormat(), new Path("readings.csv"))
                .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "readings")
                .flatMap(new ParseReading())
                .filter(reading -> reading.value != null)
                .print();
        env.execute("files");
    }
}
