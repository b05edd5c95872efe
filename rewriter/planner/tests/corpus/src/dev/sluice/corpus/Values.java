package dev.sluice.corpus;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.types.Row;

/** Types of events, one operator each. */
final class Values {
    public static void main(String[] args) throws Exception {
        Job job = new Job();
        job.run(job.readings()
                .map(r -> Tuple3.of(r.site, r.value, r))
                .returns(Types.TUPLE(Types.STRING, Types.DOUBLE, Types.POJO(Reading.class)))
                .name("tuple")
                .project(0, 1)
                .map(pair -> Tuple2.of((String) pair.getField(0), List.of(1L)))
                .returns(Types.TUPLE(Types.STRING, Types.LIST(Types.LONG)))
                .name("list")
                .map(pair -> Map.of(pair.f0, pair.f1.size()))
                .returns(Types.MAP(Types.STRING, Types.INT))
                .name("map")
                .map(map -> Map.of(1L, map.keySet().iterator().next()))
                .returns(Types.MAP(Types.LONG, Types.STRING))
                .name("other map")
                .map(map -> Row.of(map.get(1L), Side.LEFT))
                .returns(Types.ROW_NAMED(new String[] {"name", "side"}, Types.STRING, Types.ENUM(Side.class)))
                .name("row")
                .map(row -> (Side) row.getField(1))
                .returns(Types.ENUM(Side.class))
                .name("enum")
                .map(Side::ordinal)
                .name("int")
                .map(number -> new Nested(number, new Nested.Inner(number + ".")))
                .name("record")
                .map(nested -> new int[] {nested.number()})
                .name("array")
                .map(numbers -> new BigDecimal(numbers[0]))
                .name("decimal")
                .map(number -> new AtomicLong(number.longValue()))
                .returns(Types.GENERIC(AtomicLong.class))
                .name("kryo")
                .map(number -> new byte[] {number.byteValue()})
                .name("bytes"));
    }

    public enum Side {
        LEFT,
        RIGHT
    }

    public record Nested(int number, Inner inner) {
        public record Inner(String text) {}
    }

    private Values() {}
}
