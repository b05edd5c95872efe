package dev.example;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.InstantiationUtil;

/** Writes a capture with the functions of this jar, each under a node of its own. */
public final class MakeCapture {
    /** What the host reads of the graph. */
    private static final String GRAPH = "{\"nodes\":[{\"id\":5,\"function\":{\"fields\":[1]}},"
            + "{\"id\":7,\"watermarks\":{\"strategy\":\"bounded\"}},{\"id\":8,\"watermarks\":{\"strategy\":\"custom\"}}]}";

    private MakeCapture() {}

    /** The only argument is the file. */
    public static void main(String[] args) throws IOException {
        Map<String, Object> objects = new TreeMap<>();
        objects.put("functions/1.ser", new Good.Parse());
        objects.put("functions/2.ser", new Good.Keep());
        objects.put("functions/3.ser", new Good.Repeat());
        objects.put("functions/4.ser", new Good.Stamp());
        objects.put("functions/6.ser", new Good.Schema());
        objects.put(
                "watermarks/7.ser",
                WatermarkStrategy.<Reading>forBoundedOutOfOrderness(Duration.ofMillis(5))
                        .withTimestampAssigner((reading, before) -> reading.value)
                        .withIdleness(Duration.ofSeconds(1)));
        objects.put(
                "watermarks/8.ser",
                WatermarkStrategy.<String>forGenerator(context -> new Good.Alternating())
                        .withTimestampAssigner((text, before) -> Long.parseLong(text)));
        objects.put("functions/9.ser", new Harm());
        objects.put("functions/10.ser", new Good.Look());
        objects.put("functions/11.ser", new Good.Careless());
        objects.put("functions/12.ser", new Good.Superstitious());
        objects.put("config.ser", new ExecutionConfig());
        objects.put("types/1.ser", TypeInformation.of(Reading.class));
        objects.put("types/5.ser", Types.TUPLE(Types.STRING));
        objects.put("types/20.ser", Types.TUPLE(Types.LONG, Types.STRING));
        try (OutputStream file = Files.newOutputStream(Path.of(args[0]));
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry("graph.json"));
            zip.write(GRAPH.getBytes(StandardCharsets.UTF_8));
            for (Map.Entry<String, Object> entry : objects.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(InstantiationUtil.serializeObject(entry.getValue()));
            }
        }
    }
}
