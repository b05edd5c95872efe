package dev.sluice.capture;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes {@code capture.zip}: equal captures are equal bytes. */
final class CaptureFile {
    private static final LocalDateTime ANY_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);
    private static final ObjectMapper JSON = new ObjectMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT);

    private CaptureFile() {}

    /** The file of a job whose jar has this digest; its functions are loaded anew by each of the two class loaders. */
    static byte[] of(CapturedJob job, String jarSha256, ClassLoader one, ClassLoader other) throws IOException {
        Graph graph = withJar(job.graph(), jarSha256);
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put("graph.json", json(graph));
        Object config = job.environment().getConfig();
        if (Functions.problem(config) == null) {
            entries.put("config.ser", Functions.serialize(config));
        }
        Map<String, byte[]> functions = new TreeMap<>();
        for (Graph.Node node : graph.nodes()) {
            if (node.function() != null && node.function().serialized() != null) {
                functions.put(
                        node.function().serialized(),
                        Functions.serialize(node.function().object()));
            }
            if (node.watermarks() != null && node.watermarks().serialized() != null) {
                functions.put(
                        node.watermarks().serialized(),
                        Functions.serialize(node.watermarks().object()));
            }
            Object type =
                    node.output() == null ? null : job.transformation(node.id()).getOutputType();
            if (type != null && Functions.problem(type) == null) {
                entries.put("types/" + node.id() + ".ser", Functions.serialize(type));
            }
        }
        entries.putAll(functions);
        entries.putAll(Constants.of(functions, one, other));
        return zipped(entries);
    }

    /** {@code graph.json}. */
    static byte[] json(Graph graph) throws IOException {
        return JSON.writeValueAsBytes(graph);
    }

    private static Graph withJar(Graph graph, String sha256) {
        Graph.Job job = graph.job();
        Graph.Job with = new Graph.Job(
                job.name(),
                job.mainClass(),
                job.args(),
                sha256,
                job.parallelism(),
                job.autoWatermarkIntervalMs(),
                job.objectReuse());
        return new Graph(
                graph.format(), graph.flink(), graph.java(), with, graph.digest(), graph.nodes(), graph.warnings());
    }

    private static byte[] zipped(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                ZipEntry header = new ZipEntry(entry.getKey());
                header.setTimeLocal(ANY_TIME);
                zip.putNextEntry(header);
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}
