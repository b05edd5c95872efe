package dev.sluice.capture;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The digest of a graph's structure: of what a job's {@code main} decides, wherever it runs. Settings of the process
 * (parallelism, and the operator ids that depend on it) and captured values are not in it.
 */
final class GraphDigest {
    private GraphDigest() {}

    static String of(List<Graph.Node> nodes) {
        StringBuilder text = new StringBuilder();
        nodes.forEach(node -> text.append(structure(node)).append('\n'));
        return sha256(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Object> structure(Graph.Node node) {
        Graph.Function function = node.function();
        Graph.Watermarks watermarks = node.watermarks();
        return Arrays.asList(
                node.id(),
                node.kind(),
                node.operator(),
                quoted(node.name()),
                quoted(node.uid()),
                node.inputs(),
                node.partitioning(),
                node.output(),
                node.sideOutputs(),
                node.source(),
                function == null ? null : function.type(),
                function == null ? null : function.implementation(),
                watermarks == null ? null : List.of(watermarks.strategy(), watermarks.type()));
    }

    /** Names are the user's, and may hold anything. */
    private static String quoted(String name) {
        return name == null ? null : name.length() + ":" + name;
    }
}
