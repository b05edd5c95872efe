package dev.sluice.residual;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * What the residual must know of a query: a record of {@code sluice.queries}, or a plan that is to become one
 * ({@code schemas/DeployedQuery.avsc}).
 *
 * @param job null for a plan without one
 */
record Plan(String query, int version, Job job, List<PlannedInput> inputs) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The user's job.
     *
     * @param args of its {@code main}, as they were written: see {@link Arguments}
     * @param flink version of Flink at the capture
     * @param digest of the structure of the captured graph
     */
    record Job(String mainClass, List<String> args, String flink, String digest) {}

    /** Reads a file of JSON; an {@link IllegalArgumentException} says what is wrong with it. */
    static Plan read(Path file) throws IOException {
        try {
            return of(JSON.readTree(Files.readAllBytes(file)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + " is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** The plan in a deployed query. */
    static Plan of(GenericRecord deployed) {
        try {
            // What Avro makes of a record is JSON with plain values where the schema has unions.
            return of(JSON.readTree(deployed.toString()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a deployed query that is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Plan of(JsonNode json) {
        String query = need(json, "query").asText();
        int version = need(json, "version").asInt();
        List<PlannedInput> inputs = new ArrayList<>();
        need(json, "inputs").forEach(input -> inputs.add(PlannedInput.of(query, version, input, json)));
        return new Plan(query, version, json.hasNonNull("job") ? job(json.get("job")) : null, inputs);
    }

    private static Job job(JsonNode json) {
        return new Job(
                need(json, "main_class").asText(),
                texts(need(json, "args")),
                need(json, "flink").asText(),
                need(json, "graph_digest").asText());
    }

    /** An input by its name. */
    Optional<PlannedInput> input(String name) {
        return inputs.stream().filter(input -> input.name().equals(name)).findFirst();
    }

    /** A field that must be there. */
    static JsonNode need(JsonNode json, String field) {
        if (!json.hasNonNull(field)) {
            throw new IllegalArgumentException("a plan without " + field);
        }
        return json.get(field);
    }

    /** The strings of an array. */
    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
