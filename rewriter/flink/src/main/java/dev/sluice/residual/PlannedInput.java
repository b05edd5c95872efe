package dev.sluice.residual;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.avro.Schemas;
import dev.sluice.source.DeployedInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An input of a {@link Plan}.
 *
 * @param types Avro schemas of T(0)..T(N)
 * @param operators v1..vN
 * @param prefix what the residual leaves out; null in a plan that was written by hand
 */
record PlannedInput(String name, List<String> types, List<Operator> operators, Prefix prefix, Context context) {
    /**
     * A movable operator.
     *
     * @param node in the captured graph; null in a plan that was written by hand
     */
    record Operator(String name, Integer node) {
        static Operator of(JsonNode json) {
            JsonNode function = json.path("function");
            return new Operator(
                    Plan.need(json, "name").asText(),
                    function.hasNonNull("node") ? function.get("node").asInt() : null);
        }
    }

    /** The part that only a deployed plan has. */
    private record Context(String query, int version, JsonNode input, JsonNode plan) {}

    static PlannedInput of(String query, int version, JsonNode input, JsonNode plan) {
        List<Operator> operators = new ArrayList<>();
        Plan.need(input, "operators").forEach(operator -> operators.add(Operator.of(operator)));
        List<String> types = Plan.texts(Plan.need(input, "types"));
        String name = Plan.need(input, "name").asText();
        if (types.size() != operators.size() + 1) {
            throw new IllegalArgumentException(
                    "input " + name + " has " + operators.size() + " operators and " + types.size() + " types");
        }
        Prefix prefix = input.hasNonNull("prefix") ? prefix(input.get("prefix")) : null;
        return new PlannedInput(name, types, operators, prefix, new Context(query, version, input, plan));
    }

    private static Prefix prefix(JsonNode json) {
        List<Integer> nodes = new ArrayList<>();
        Plan.need(json, "nodes").forEach(node -> nodes.add(node.asInt()));
        return new Prefix(
                Plan.need(json, "source").asInt(),
                nodes,
                Plan.need(json, "boundary").asInt());
    }

    /** The type behind the movable prefix. */
    String lastType() {
        return types.get(types.size() - 1);
    }

    /** The id of its frame source: that of another version reads other topics, and must not take over its positions. */
    static String uid(String query, int version, String input) {
        return query + "." + version + "." + input;
    }

    /** As the frame source knows it; an {@link IllegalArgumentException} when the plan is not deployed. */
    DeployedInput deployed() {
        JsonNode input = context.input;
        JsonNode frameIds = Plan.need(input, "frame_schema_ids");
        if (frameIds.size() != types.size()) {
            throw new IllegalArgumentException("input " + name + " is deployed with " + types.size() + " types and "
                    + frameIds.size() + " frame schemas");
        }
        return new DeployedInput(
                context.query,
                context.version,
                name,
                Plan.need(input, "partitions").asInt(),
                lastType(),
                frameIds.get(operators.size()).asInt(),
                operators.size(),
                schemaId(Schemas.DEAD_EVENT),
                schemaId(Schemas.LATE_EVENT),
                new DeployedInput.Timing(
                        Plan.need(input, "order").asText().equals("event_time"),
                        input.hasNonNull("assigner"),
                        millis("idle_after_ms"),
                        millis("start_grace_ms"),
                        millis("hole_limit_ms"),
                        millis("hole_limit_silent_ms"),
                        millis("max_ahead_ms"),
                        Plan.need(input, "held_bytes").asLong()));
    }

    private int schemaId(Schemas schema) {
        return Plan.need(Plan.need(context.plan, "schema_ids"), schema.recordName())
                .asInt();
    }

    private Duration millis(String field) {
        return Duration.ofMillis(Plan.need(context.input, field).asLong());
    }
}
