package dev.sluice.avro;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;

/** The records of {@code schemas/}, as compiled in. */
public enum Schemas {
    /** A device's place in an input. */
    DEVICE_ENTRY("DeviceEntry"),
    /** All that a service must know of a query. */
    DEPLOYED_QUERY("DeployedQuery"),
    /** A copy of what could not be passed on. */
    DEAD_EVENT("DeadEvent"),
    /** A copy of what came behind the watermark. */
    LATE_EVENT("LateEvent");

    private final String recordName;
    private final Schema schema;

    Schemas(String recordName) {
        this.recordName = recordName;
        String resource = "/schemas/" + recordName + ".avsc";
        try (InputStream in = Schemas.class.getResourceAsStream(resource)) {
            this.schema = new Schema.Parser().parse(in);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    /** The record's name, as in {@code schema_ids} of a deployed query. */
    public String recordName() {
        return recordName;
    }

    /** The schema. */
    public Schema schema() {
        return schema;
    }
}
