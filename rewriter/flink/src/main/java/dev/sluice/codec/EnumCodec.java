package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;

/** Constants of an enum, by name. */
final class EnumCodec implements ValueCodec {
    private final Enum<?>[] bySymbol;
    private final int[] byOrdinal;

    EnumCodec(Class<?> type, Schema schema, String where) {
        Enum<?>[] constants = (Enum<?>[]) type.getEnumConstants();
        List<String> symbols = schema.getEnumSymbols();
        List<String> names = Arrays.stream(constants).map(Enum::name).toList();
        if (names.size() != symbols.size() || !names.containsAll(symbols)) {
            throw new IllegalArgumentException(where + " is one of " + names + ", its schema says " + symbols);
        }
        this.bySymbol = new Enum<?>[constants.length];
        this.byOrdinal = new int[constants.length];
        for (Enum<?> constant : constants) {
            int symbol = symbols.indexOf(constant.name());
            bySymbol[symbol] = constant;
            byOrdinal[constant.ordinal()] = symbol;
        }
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        out.writeInt(byOrdinal[((Enum<?>) value).ordinal()]);
    }

    @Override
    public Object decode(AvroInput in) {
        return bySymbol[in.readIndex(bySymbol.length)];
    }
}
