package dev.sluice.avro;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class ValueDecodersTest {
    public static class Inner {
        public String name;
    }

    public static class All {
        public String text;
        public int whole;
        public long big;
        public double real;
        public float small;
        public boolean flag;
        public byte[] raw;
        public Long maybe;
        public Inner inner;
    }

    private static final Schema INNER =
            SchemaBuilder.record("Inner").fields().requiredString("name").endRecord();

    private static final Schema ALL = SchemaBuilder.record("All")
            .fields()
            .requiredLong("big")
            .requiredString("text")
            .requiredInt("whole")
            .requiredDouble("real")
            .requiredFloat("small")
            .requiredBoolean("flag")
            .requiredBytes("raw")
            .optionalLong("maybe")
            .name("inner")
            .type(INNER)
            .noDefault()
            .endRecord();

    private static All roundTrip(Long maybe) {
        GenericRecord record = new GenericData.Record(ALL);
        record.put("text", "a,b");
        record.put("whole", -7);
        record.put("big", 1L << 50);
        record.put("real", 6.7);
        record.put("small", 1.5f);
        record.put("flag", true);
        record.put("raw", ByteBuffer.wrap(new byte[] {9}));
        record.put("maybe", maybe);
        GenericRecord inner = new GenericData.Record(INNER);
        inner.put("name", "in");
        record.put("inner", inner);
        byte[] message = Confluent.encode(3, record);
        return (All) ValueDecoders.of(ALL, All.class).read(new AvroInput(message, Confluent.HEADER_BYTES));
    }

    @Test
    void fillsFieldsByName() {
        All all = roundTrip(5L);
        assertEquals("a,b", all.text);
        assertEquals(-7, all.whole);
        assertEquals(1L << 50, all.big);
        assertEquals(6.7, all.real);
        assertEquals(1.5f, all.small);
        assertTrue(all.flag);
        assertArrayEquals(new byte[] {9}, all.raw);
        assertEquals(5L, all.maybe);
        assertEquals("in", all.inner.name);
    }

    @Test
    void nullStaysNull() {
        assertNull(roundTrip(null).maybe);
    }

    @Test
    void plainTypes() {
        ValueDecoder decoder = ValueDecoders.of(SchemaBuilder.builder().stringType(), String.class);
        assertEquals("x", decoder.read(new AvroInput(new byte[] {2, 'x'}, 0)));
    }

    private static String refusal(Schema schema, Class<?> type) {
        return assertThrows(IllegalArgumentException.class, () -> ValueDecoders.of(schema, type))
                .getMessage();
    }

    @Test
    void saysWhyASchemaDoesNotFit() {
        Schema other = SchemaBuilder.record("Inner")
                .fields()
                .requiredString("name")
                .requiredInt("age")
                .endRecord();
        assertTrue(refusal(other, Inner.class).contains("Inner.age"));
        assertTrue(refusal(INNER, All.class).contains("All.name"));
        Schema empty = SchemaBuilder.record("Inner").fields().endRecord();
        assertTrue(refusal(empty, Inner.class).contains("Inner.name is not in the schema"));
        Schema number =
                SchemaBuilder.record("Inner").fields().requiredInt("name").endRecord();
        assertTrue(refusal(number, Inner.class).contains("needs int"));
        Schema list = SchemaBuilder.array().items().intType();
        assertTrue(refusal(list, Inner.class).contains("ARRAY"));
    }

    public static class Primitive {
        public int whole;
    }

    @Test
    void aPrimitiveCantBeNull() {
        Schema optional =
                SchemaBuilder.record("P").fields().optionalInt("whole").endRecord();
        assertTrue(refusal(optional, Primitive.class).contains("can't be null"));
    }

    static class Hidden {
        public String name;
    }

    @Test
    void theClassMustBePublic() {
        assertTrue(refusal(INNER, Hidden.class).contains("public"));
    }

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
