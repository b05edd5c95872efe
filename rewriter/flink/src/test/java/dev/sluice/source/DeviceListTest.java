package dev.sluice.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.avro.Confluent;
import dev.sluice.avro.Schemas;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceListTest {
    private final DeviceList list = new DeviceList(Frames.input("q1", 4));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<DeviceList.Change> apply(String key, String json) {
        return list.apply(bytes(key), json == null ? null : bytes(json));
    }

    @Test
    void followsJoinsMovesAndLeaves() {
        assertEquals(
                List.of(new DeviceList.Change(2, "pi-1", true)),
                apply("q1/nums/pi-1", "{\"partition\":2,\"source\":\"s\",\"state\":\"joined\"}"));
        assertEquals(List.of(), apply("q1/nums/pi-1", "{\"partition\":2,\"source\":\"t\"}"));
        assertEquals(Map.of("pi-1", true), list.joined(2));
        assertEquals(
                List.of(new DeviceList.Change(2, "pi-1", false), new DeviceList.Change(3, "pi-1", true)),
                apply("q1/nums/pi-1", "{\"partition\":3}"));
        assertEquals(
                List.of(new DeviceList.Change(3, "pi-1", false)),
                apply("q1/nums/pi-1", "{\"partition\":3,\"state\":\"left\"}"));
        assertEquals(List.of(), apply("q1/nums/pi-1", null));
        assertEquals(Map.of(), list.joined(3));
    }

    @Test
    void readsAvro() {
        GenericRecord entry = new GenericData.Record(Schemas.DEVICE_ENTRY.schema());
        entry.put("partition", 1);
        entry.put("source", "readings");
        entry.put(
                "state",
                new GenericData.EnumSymbol(
                        Schemas.DEVICE_ENTRY.schema().getField("state").schema(), "joined"));
        assertEquals(
                List.of(new DeviceList.Change(1, "pi-2", true)),
                list.apply(bytes("q1/nums/pi-2"), Confluent.encode(9, entry)));
    }

    @Test
    void otherInputsAreNotOurs() {
        assertEquals(List.of(), apply("q1/other/pi-1", "{\"partition\":2}"));
        assertEquals(List.of(), apply("q1/nums/", "{\"partition\":2}"));
        assertEquals(List.of(), list.apply(null, bytes("{\"partition\":2}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"partition\":\"2\"}",
                "{\"partition\":1.5}",
                "{\"partition\":-1}",
                "{\"partition\":1} x",
                "{\"partition\":1,\"state\":\"gone\"}",
                "{\"partition\":1,\"colour\":1}",
                "{}",
                "text"
            })
    void malformedEntriesChangeNothing(String value) {
        apply("q1/nums/pi-1", "{\"partition\":2}");
        assertEquals(List.of(), apply("q1/nums/pi-1", value));
        assertEquals(Map.of("pi-1", true), list.joined(2));
    }
}
