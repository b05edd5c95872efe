package dev.sluice.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import dev.sluice.avro.MalformedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class ValueCodecTest {
    private static final int ROUNDS = 500;

    private final Random random = new Random(7);

    private static byte[] encode(ValueCodec codec, Object value) {
        AvroOutput out = new AvroOutput(0);
        codec.encode(value, out);
        return out.toByteArray();
    }

    /** What Avro's own classes read from the bytes and write again. */
    private static byte[] rewritten(Schema schema, byte[] bytes) {
        try {
            var decoder = DecoderFactory.get().binaryDecoder(bytes, null);
            Object generic = new GenericDatumReader<>(schema).read(null, decoder);
            assertTrue(decoder.isEnd());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            new GenericDatumWriter<>(schema).write(generic, encoder);
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Random values come back as they were, and their bytes are those that Avro's own classes write. */
    private void roundTrips(TypeInformation<?> type, Schema schema, Supplier<Object> values) {
        ValueCodec codec = ValueCodec.of(type, schema);
        for (int i = 0; i < ROUNDS; i++) {
            Object value = values.get();
            byte[] bytes = encode(codec, value);
            AvroInput in = new AvroInput(bytes, 0);
            assertEquals(Shapes.show(value), Shapes.show(codec.decode(in)));
            assertTrue(in.atEnd());
            // Maps have no order of their own.
            if (!schema.toString().contains("\"map\"")) {
                assertArrayEquals(rewritten(schema, bytes), bytes);
            }
        }
    }

    private <T> T maybe(Supplier<T> value) {
        return random.nextInt(4) == 0 ? null : value.get();
    }

    private String text() {
        int[] alphabet = {'a', 'Z', '\n', 0, 0x7f, 0x80, 'ü', 0x7ff, 0x800, '€', 0xffff, 0x10000, 0x1f600, 0x10ffff};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return text.toString();
    }

    private double number() {
        return random.nextInt(5) == 0 ? Double.NaN : Double.longBitsToDouble(random.nextLong());
    }

    private <T> List<T> list(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            list.add(element.get());
        }
        return list;
    }

    private Shapes.Inner inner() {
        Shapes.Inner inner = new Shapes.Inner();
        inner.text = maybe(this::text);
        inner.setNumber(random.nextLong() >> random.nextInt(64));
        return inner;
    }

    private Shapes.Point point() {
        return new Shapes.Point(random.nextInt(), maybe(this::number), maybe(this::text));
    }

    private Shapes.Colour colour() {
        return Shapes.Colour.values()[random.nextInt(2)];
    }

    private byte[] raw() {
        byte[] raw = new byte[random.nextInt(9)];
        random.nextBytes(raw);
        return raw;
    }

    private Shapes.Outer outer() {
        Shapes.Outer outer = new Shapes.Outer();
        outer.text = maybe(this::text);
        outer.setNumber(random.nextLong());
        outer.flag = random.nextBoolean();
        outer.small = (byte) random.nextInt();
        outer.shorter = (short) random.nextInt();
        outer.letter = (char) random.nextInt();
        outer.whole = random.nextInt() >> random.nextInt(32);
        outer.real = random.nextFloat();
        outer.precise = number();
        outer.maybe = maybe(random::nextInt);
        outer.raw = maybe(this::raw);
        outer.numbers = maybe(() -> random.ints(random.nextInt(4)).toArray());
        outer.inners = maybe(() -> list(() -> maybe(this::inner)).toArray(new Shapes.Inner[0]));
        outer.colour = maybe(this::colour);
        outer.pair = maybe(() -> Tuple2.of(maybe(this::text), maybe(this::inner)));
        outer.point = maybe(this::point);
        outer.exact = maybe(() -> BigDecimal.valueOf(random.nextLong(), random.nextInt(9)));
        return outer;
    }

    @Test
    void pojos() {
        roundTrips(Shapes.OUTER, Shapes.OUTER_SCHEMA, this::outer);
    }

    @Test
    void javaRecords() {
        roundTrips(Shapes.POINT, Shapes.POINT_SCHEMA, this::point);
    }

    /** No POJO: nothing makes it without values. */
    static class Reading {
        private final String text;
        private final long number;
        private final Shapes.Colour colour;

        Reading(String text, long number, Shapes.Colour colour) {
            this.text = text;
            this.number = number;
            this.colour = colour;
        }

        @Override
        public String toString() {
            return text + number + colour;
        }
    }

    @Test
    void plainClassesThatFlinkLeavesToKryo() {
        Schema schema = Shapes.parse(
                "{\"type\":\"record\",\"name\":\"Reading\",\"fields\":["
                        + "{\"name\":\"text\",\"type\":[\"null\",\"string\"]},{\"name\":\"number\",\"type\":\"long\"},"
                        + "{\"name\":\"colour\",\"type\":[\"null\",{\"type\":\"enum\",\"name\":\"Colour\",\"symbols\":[\"RED\",\"GREEN\"]}]}]}");
        roundTrips(
                Types.GENERIC(Reading.class),
                schema,
                () -> new Reading(maybe(this::text), random.nextLong(), maybe(this::colour)));
    }

    @Test
    void tuples() {
        roundTrips(
                Shapes.TUPLE,
                Shapes.TUPLE_SCHEMA,
                () -> Tuple3.of(maybe(random::nextInt), maybe(this::raw), maybe(() ->
                        new boolean[] {random.nextBoolean(), true})));
    }

    @Test
    void collections() {
        Function<Supplier<?>, Map<Object, Object>> map = key -> {
            Map<Object, Object> made = new HashMap<>();
            list(key).forEach(k -> made.put(k, null));
            return made;
        };
        roundTrips(
                Shapes.LISTS,
                Shapes.LISTS_SCHEMA,
                () -> Tuple3.of(
                        maybe(() -> list(() -> maybe(this::text))),
                        maybe(() -> map.apply(() -> "k" + random.nextInt(9))),
                        maybe(() -> {
                            Map<Object, Object> made = map.apply(() -> random.nextInt(9));
                            made.replaceAll((k, v) -> maybe(this::inner));
                            return made;
                        })));
    }

    @Test
    void rows() {
        Supplier<Object> positional = () -> Row.of(
                maybe(this::text),
                maybe(() -> list(() -> maybe(this::number)).toArray(new Double[0])),
                maybe(this::colour));
        roundTrips(Shapes.ROW, Shapes.ROW_SCHEMA, positional);
        ValueCodec codec = ValueCodec.of(Shapes.ROW, Shapes.ROW_SCHEMA);
        Row named = Row.withNames();
        named.setField("c", Shapes.Colour.RED);
        Row read = (Row) codec.decode(new AvroInput(encode(codec, named), 0));
        assertEquals(Shapes.Colour.RED, read.getField("c"));
        assertEquals(Shapes.Colour.RED, read.getField(2));
        assertEquals(null, read.getField("a"));
    }

    @Test
    void scalars() {
        roundTrips(Types.STRING, Schema.create(Schema.Type.STRING), this::text);
        roundTrips(Types.LONG, Shapes.nullable(Schema.Type.LONG), () -> maybe(random::nextLong));
        roundTrips(Types.CHAR, Schema.create(Schema.Type.INT), () -> (char) random.nextInt());
        roundTrips(Types.PRIMITIVE_ARRAY(Types.BYTE), Schema.create(Schema.Type.BYTES), this::raw);
        roundTrips(
                Types.LOCAL_DATE,
                Schema.create(Schema.Type.BYTES),
                () -> java.time.LocalDate.ofEpochDay(random.nextInt(99_999)));
        roundTrips(
                Types.GENERIC(StringBuilder.class), Schema.create(Schema.Type.BYTES), () -> new StringBuilder(text()));
    }

    @Test
    void nullMayBeTheSecondBranch() {
        Schema schema = Schema.createUnion(Schema.create(Schema.Type.INT), Schema.create(Schema.Type.NULL));
        roundTrips(Types.INT, schema, () -> maybe(random::nextInt));
    }

    private static String refused(ValueCodec codec, Object value) {
        return assertThrows(RefusedException.class, () -> encode(codec, value)).getMessage();
    }

    @Test
    void aSubclassIsRefused() {
        ValueCodec codec = ValueCodec.of(
                Types.TUPLE(Types.POJO(Shapes.Inner.class)),
                Shapes.parse(
                        "{\"type\":\"record\",\"name\":\"T\",\"fields\":[{\"name\":\"f0\",\"type\":{\"type\":\"record\",\"name\":\"I\","
                                + "\"fields\":[{\"name\":\"number\",\"type\":\"long\"},{\"name\":\"text\",\"type\":\"string\"}]}}]}"));
        String message = refused(codec, org.apache.flink.api.java.tuple.Tuple1.of(new Shapes.InnerMost()));
        assertTrue(message.contains(".f0: a ") && message.contains("Shapes$InnerMost"), message);
        assertTrue(refused(codec, org.apache.flink.api.java.tuple.Tuple1.of(new Shapes.Inner()))
                .contains(".f0.text: null"));
    }

    @Test
    void aLoneSurrogateIsRefused() {
        ValueCodec codec = ValueCodec.of(Shapes.POINT, Shapes.POINT_SCHEMA);
        for (String text : List.of("a\ud83d", "\ude00", "é\ud83dx", "\ude00\ud83d")) {
            String message = refused(codec, new Shapes.Point(0, null, text));
            assertTrue(message.contains("Point.name: a lone surrogate"), message);
        }
    }

    @Test
    void aRowOfAnotherKindIsRefused() {
        ValueCodec codec = ValueCodec.of(Shapes.ROW, Shapes.ROW_SCHEMA);
        assertTrue(refused(codec, Row.ofKind(RowKind.DELETE, "a", null, null)).contains("DELETE"));
        assertTrue(refused(codec, Row.of("a")).contains("1 fields"));
    }

    private static String mismatch(TypeInformation<?> type, String schema) {
        return assertThrows(IllegalArgumentException.class, () -> ValueCodec.of(type, Shapes.parse(schema)))
                .getMessage();
    }

    @Test
    void saysWhereASchemaDoesNotFit() {
        String record = "{\"type\":\"record\",\"name\":\"Point\",\"fields\":[%s]}";
        String x = "{\"name\":\"x\",\"type\":\"int\"}";
        String y = "{\"name\":\"y\",\"type\":\"double\"}";
        assertTrue(
                mismatch(Shapes.POINT, String.format(record, x + "," + y)).contains("Point.name is not in the schema"));
        String name = "{\"name\":\"name\",\"type\":\"long\"}";
        assertTrue(mismatch(Shapes.POINT, String.format(record, x + "," + y + "," + name))
                .contains("Point.name is java"));
        String more = "{\"name\":\"z\",\"type\":\"long\"}";
        String text = "{\"name\":\"name\",\"type\":\"string\"}";
        assertTrue(mismatch(Shapes.POINT, String.format(record, String.join(",", x, y, text, more)))
                .contains("Point.z is in"));
        String nullable = "{\"name\":\"x\",\"type\":[\"null\",\"int\"]}";
        assertTrue(mismatch(Shapes.POINT, String.format(record, String.join(",", nullable, y, text)))
                .contains("Point.x can't be null"));
        String colours = "{\"type\":\"enum\",\"name\":\"C\",\"symbols\":[\"RED\",\"BLUE\"]}";
        assertTrue(mismatch(Types.ENUM(Shapes.Colour.class), colours).contains("BLUE"));
        assertTrue(mismatch(Types.STRING, "[\"null\",\"string\",\"int\"]").contains("union"));
        assertTrue(mismatch(Types.LIST(Types.INT), "{\"type\":\"array\",\"items\":\"long\"}")
                .contains("List[]"));
    }

    @Test
    void brokenBytesAreMalformed() {
        ValueCodec codec = ValueCodec.of(Shapes.OUTER, Shapes.OUTER_SCHEMA);
        byte[] whole = encode(codec, outer());
        for (int i = 0; i < whole.length; i++) {
            byte[] part = Arrays.copyOf(whole, i);
            assertThrows(MalformedException.class, () -> codec.decode(new AvroInput(part, 0)));
        }
    }
}
