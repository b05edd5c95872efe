package dev.sluice.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class ConfluentTest {
    @Test
    void controlRecordsAreReadWithTheCompiledInSchema() {
        GenericRecord entry = new GenericData.Record(Schemas.DEVICE_ENTRY.schema());
        entry.put("partition", 3);
        entry.put("source", "readings");
        Schema state = Schemas.DEVICE_ENTRY.schema().getField("state").schema();
        entry.put("state", new GenericData.EnumSymbol(state, "left"));
        byte[] message = Confluent.encode(77, entry);
        assertEquals(77, Confluent.schemaId(message));
        assertEquals(3, Confluent.decode(Schemas.DEVICE_ENTRY.schema(), message).get("partition"));
        assertThrows(
                MalformedException.class,
                () -> Confluent.decode(Schemas.DEVICE_ENTRY.schema(), new byte[] {0, 0, 0, 0, 1, 9}));
        assertThrows(
                MalformedException.class, () -> Confluent.decode(Schemas.DEVICE_ENTRY.schema(), new byte[] {1, 2}));
    }
}
