package dev.sluice.residual;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.Schemas;
import dev.sluice.source.DeployedInput;
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
        return Confluent.encode(1, record(query, version, partitions, valueSchema, frameSchemaId, operators, null));
    }

    /** The same with a job whose first node moved. */
    static byte[] queryOf(Class<?> main, String graphDigest, DeployedInput input) {
        GenericRecord prefix = new GenericRecordBuilder(
                        INPUT.getField("prefix").schema().getTypes().get(1))
                .set("source", 1)
                .set("nodes", List.of(1))
                .set("boundary", 1)
                .build();
        GenericRecord query = record(
                input.query(),
                input.version(),
                input.partitions(),
                input.valueSchema(),
                input.frameSchemaId(),
                input.operators(),
                prefix);
        Schema job = QUERY.getField("job").schema().getTypes().get(1);
        Schema artifact = job.getField("jar").schema();
        GenericRecord file = new GenericRecordBuilder(artifact)
                .set("name", "job.jar")
                .set("digest", "")
                .set("bytes", 0L)
                .build();
        query.put(
                "job",
                new GenericRecordBuilder(job)
                        .set("main_class", main.getName())
                        .set("args", List.of("> \"quoted\""))
                        .set("flink", "2.2.1")
                        .set("graph_digest", graphDigest)
                        .set("jar", file)
                        .set("capture", file)
                        .build());
        return Confluent.encode(1, query);
    }

    private static GenericRecord record(
            String query,
            int version,
            int partitions,
            String valueSchema,
            int frameSchemaId,
            int operators,
            GenericRecord prefix) {
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
                .set("prefix", prefix)
                .build();
        return new GenericRecordBuilder(QUERY)
                .set("query", query)
                .set("version", version)
                .set("digest", "")
                .set("inputs", List.of(input))
                .set("schema_ids", Map.of("DeadEvent", 31, "LateEvent", 32))
                .build();
    }
}
