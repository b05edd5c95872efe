package dev.sluice.residual;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.MalformedException;
import dev.sluice.avro.Schemas;
import dev.sluice.source.DeployedInput;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/** Reads {@code DeployedQuery}, the value of {@code sluice.queries}. */
final class QueryTable {
    private static final String TOPIC = Deployment.TOPIC;

    private QueryTable() {}

    /** The input that the settings name; a {@link ExitException} says which setting does not fit. */
    static DeployedInput input(byte[] message, ResidualConfig config) throws ExitException {
        GenericRecord query;
        try {
            query = Confluent.decode(Schemas.DEPLOYED_QUERY.schema(), message);
        } catch (MalformedException e) {
            throw usage(TOPIC + " has a record for query " + config.query() + " that can't be read: " + e.getMessage());
        }
        int version = (Integer) query.get("version");
        if (config.version() != null && config.version() != version) {
            throw usage("version is " + config.version() + ", but " + version + " of query " + config.query()
                    + " is deployed");
        }
        for (Object each : (List<?>) query.get("inputs")) {
            GenericRecord input = (GenericRecord) each;
            if (input.get("name").toString().equals(config.input())) {
                return input(config.query(), version, input, schemaIds(query));
            }
        }
        throw usage("input is " + config.input() + ", which query " + config.query() + " does not have");
    }

    private static DeployedInput input(String query, int version, GenericRecord input, Map<String, Integer> ids)
            throws ExitException {
        List<?> types = (List<?>) input.get("types");
        List<?> frameIds = (List<?>) input.get("frame_schema_ids");
        int operators = ((List<?>) input.get("operators")).size();
        if (types.size() != operators + 1 || frameIds.size() != operators + 1) {
            throw usage("query " + query + " is deployed with " + operators + " operators, " + types.size()
                    + " types and " + frameIds.size() + " frame schemas");
        }
        return new DeployedInput(
                query,
                version,
                input.get("name").toString(),
                (Integer) input.get("partitions"),
                types.get(operators).toString(),
                (Integer) frameIds.get(operators),
                operators,
                id(ids, query, Schemas.DEAD_EVENT),
                id(ids, query, Schemas.LATE_EVENT),
                new DeployedInput.Timing(
                        input.get("order").toString().equals("event_time"),
                        input.get("assigner") != null,
                        millis(input, "idle_after_ms"),
                        millis(input, "start_grace_ms"),
                        millis(input, "hole_limit_ms"),
                        millis(input, "hole_limit_silent_ms"),
                        millis(input, "max_ahead_ms"),
                        (Long) input.get("held_bytes")));
    }

    private static Map<String, Integer> schemaIds(GenericRecord query) {
        Map<String, Integer> ids = new HashMap<>();
        ((Map<?, ?>) query.get("schema_ids")).forEach((name, id) -> ids.put(name.toString(), (Integer) id));
        return ids;
    }

    private static int id(Map<String, Integer> ids, String query, Schemas schema) throws ExitException {
        Integer id = ids.get(schema.recordName());
        if (id == null) {
            throw usage("query " + query + " is deployed without a schema id for " + schema.recordName());
        }
        return id;
    }

    private static Duration millis(GenericRecord input, String field) {
        return Duration.ofMillis((Long) input.get(field));
    }

    private static ExitException usage(String message) {
        return new ExitException(ExitException.USAGE, message);
    }
}
