package dev.sluice.source;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.avro.Confluent;
import dev.sluice.avro.MalformedException;
import dev.sluice.avro.Schemas;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of an input by partition, from the records of {@code sluice.devices}. */
final class DeviceList {
    /** The topic of the device table. */
    static final String TOPIC = "sluice.devices";

    private static final Logger LOG = LoggerFactory.getLogger(DeviceList.class);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final Set<String> FIELDS = Set.of("partition", "source", "state");

    private final String keyPrefix;
    private final Map<String, Integer> partitions = new HashMap<>();

    /** A device joined or left a partition. */
    record Change(int partition, String device, boolean joined) {}

    DeviceList(DeployedInput input) {
        this.keyPrefix = input.query() + "/" + input.name() + "/";
    }

    /** The joined devices of a partition. */
    Map<String, Boolean> joined(int partition) {
        Map<String, Boolean> joined = new TreeMap<>();
        partitions.forEach((device, at) -> {
            if (at == partition) {
                joined.put(device, true);
            }
        });
        return joined;
    }

    /** Applies a record; a malformed one changes nothing. */
    List<Change> apply(byte[] key, byte[] value) {
        String name = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        if (!name.startsWith(keyPrefix) || name.length() == keyPrefix.length()) {
            return List.of();
        }
        Integer partition;
        try {
            partition = partition(value);
        } catch (MalformedException e) {
            LOG.warn("{} record of {} ignored: {}", TOPIC, name, e.getMessage());
            return List.of();
        }
        String device = name.substring(keyPrefix.length());
        Integer before = partition == null ? partitions.remove(device) : partitions.put(device, partition);
        List<Change> changes = new ArrayList<>(2);
        if (before != null && !before.equals(partition)) {
            changes.add(new Change(before, device, false));
        }
        if (partition != null && !partition.equals(before)) {
            changes.add(new Change(partition, device, true));
        }
        return changes;
    }

    /** The partition that an entry gives its device; null when the device left. */
    private static Integer partition(byte[] value) {
        if (value == null) {
            return null;
        }
        boolean json = value.length > 0 && value[0] == '{';
        return json ? fromJson(value) : fromAvro(value);
    }

    private static Integer fromAvro(byte[] value) {
        GenericRecord entry = Confluent.decode(Schemas.DEVICE_ENTRY.schema(), value);
        return entry.get("state").toString().equals("joined") ? (Integer) entry.get("partition") : null;
    }

    private static Integer fromJson(byte[] value) {
        JsonNode entry;
        try {
            entry = JSON.readTree(value);
        } catch (IOException e) {
            throw new MalformedException("no JSON: " + e.getMessage());
        }
        for (var names = entry.fieldNames(); names.hasNext(); ) {
            String field = names.next();
            if (!FIELDS.contains(field)) {
                throw new MalformedException("unknown field '" + field + "'");
            }
        }
        if (!entry.path("partition").isInt() || entry.get("partition").asInt() < 0) {
            throw new MalformedException("partition must be a whole number");
        }
        return switch (entry.path("state").asText("joined")) {
            case "joined" -> entry.get("partition").asInt();
            case "left" -> null;
            default -> throw new MalformedException("state must be joined or left");
        };
    }
}
