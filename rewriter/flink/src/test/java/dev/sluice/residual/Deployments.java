package dev.sluice.residual;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.Schemas;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/** Records of {@code sluice.queries} for tests. */
final class Deployments {
    private static final Schema QUERY = Schemas.DEPLOYED_QUERY.schema();
    private static final Schema INPUT = QUERY.getField("inputs").schema().getElementType();

    private Deployments() {}

    /** A query with one input, {@code nums}, whose event time is assigned in its prefix. */
    static byte[] query(
            String query, int version, int partitions, String valueSchema, int frameSchemaId, int operators) {
        Schema operator = INPUT.getField("operators").schema().getElementType();
        GenericRecord operator1 = new GenericRecordBuilder(operator)
                .set("name", "v")
                .set(
                        "engine",
                        new GenericData.EnumSymbol(operator.getField("engine").schema(), "native"))
                .set("ir", "")
                .build();
        Schema assigner = INPUT.getField("assigner").schema().getTypes().get(1);
        GenericRecord afterFirst = new GenericRecordBuilder(assigner)
                .set("after", 1)
                .set("bound_ms", 1000L)
                .set("ir", "")
                .build();
        GenericRecord input = new GenericRecordBuilder(INPUT)
                .set("name", "nums")
                .set("partitions", partitions)
                .set("order", new GenericData.EnumSymbol(INPUT.getField("order").schema(), "source"))
                .set("types", Collections.nCopies(operators + 1, valueSchema))
                .set("frame_schema_ids", Collections.nCopies(operators + 1, frameSchemaId))
                .set("operators", Collections.nCopies(operators, operator1))
                .set("assigner", afterFirst)
                .build();
        GenericRecord record = new GenericRecordBuilder(QUERY)
                .set("query", query)
                .set("version", version)
                .set("digest", "")
                .set("inputs", List.of(input))
                .set("schema_ids", Map.of("DeadEvent", 31, "LateEvent", 32))
                .build();
        return Confluent.encode(1, record);
    }
}
