package dev.sluice.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.InstantiationUtil;

/** A job's {@code capture.zip} (docs/graph.md), whose objects are loaded by the job's own class loader. */
final class CaptureFile implements AutoCloseable {
    private final ZipFile zip;
    private final ClassLoader loader;

    CaptureFile(Path path, ClassLoader loader) throws IOException {
        this.zip = new ZipFile(path.toFile());
        this.loader = loader;
    }

    /** Whether the watermark is the highest time less a bound and 1, whoever computes it. */
    boolean isBounded(int node) throws IOException {
        String strategy = node(node).path("watermarks").path("strategy").asText();
        return strategy.equals("bounded") || strategy.equals("monotonous");
    }

    /** The function of a node. */
    Object function(int node) throws IOException, ClassNotFoundException {
        return object("functions/" + node + ".ser");
    }

    /** The watermark strategy of a node; a source can have a schema beside it. */
    Object strategy(int node) throws IOException, ClassNotFoundException {
        return object("watermarks/" + node + ".ser");
    }

    /** The type in an entry; with an empty name that of texts or bytes of the source. */
    TypeInformation<?> type(String entry, String schema) throws IOException, ClassNotFoundException {
        if (entry.isEmpty()) {
            boolean bytes = schema.contains("bytes");
            return bytes ? PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO : Types.STRING;
        }
        return (TypeInformation<?>) object(entry);
    }

    /** The fields that a projection keeps. */
    int[] projection(int node) throws IOException {
        JsonNode fields = node(node).path("function").path("fields");
        int[] places = new int[fields.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = fields.get(i).asInt();
        }
        return places;
    }

    private JsonNode node(int id) throws IOException {
        for (JsonNode candidate :
                new ObjectMapper().readTree(bytes("graph.json")).path("nodes")) {
            if (candidate.path("id").asInt() == id) {
                return candidate;
            }
        }
        throw new IOException("node " + id + " is not in the captured graph");
    }

    /** The job's settings. */
    ExecutionConfig config() throws IOException, ClassNotFoundException {
        return (ExecutionConfig) object("config.ser");
    }

    private Object object(String entry) throws IOException, ClassNotFoundException {
        return InstantiationUtil.deserializeObject(bytes(entry), loader);
    }

    private byte[] bytes(String name) throws IOException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new IOException(name + " is not in " + zip.getName());
        }
        return zip.getInputStream(entry).readAllBytes();
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
