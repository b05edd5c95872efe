package dev.sluice.capture;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Captured values that JSON can hold: primitives, strings, enums, and arrays and lists of those. */
final class Values {
    private static final int MAX_LENGTH = 65_536;

    private Values() {}

    /** A value, or that there is none that can be said. */
    record Known(boolean known, Object value) {
        static final Known NOT = new Known(false, null);
    }

    /** The value in JSON's terms: a character is a string, an enum its name; what JSON has no number for is a string. */
    static Known of(Object value) {
        if (value == null || value instanceof Boolean) {
            return new Known(true, value);
        } else if (value instanceof Double number) {
            return new Known(true, Double.isFinite(number) ? number : number.toString());
        } else if (value instanceof Float number) {
            return new Known(true, Float.isFinite(number) ? number : number.toString());
        } else if (value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long) {
            return new Known(true, value);
        } else if (value instanceof Character character) {
            return text(character.toString());
        } else if (value instanceof String string) {
            return text(string);
        } else if (value instanceof Enum<?> symbol) {
            return new Known(true, symbol.name());
        } else if (value.getClass().isArray()) {
            return array(value);
        } else if (value instanceof List<?> list && value.getClass().getName().startsWith("java.util.")) {
            return array(list.toArray());
        }
        return Known.NOT;
    }

    private static Known text(String string) {
        boolean whole = string.length() <= MAX_LENGTH && string.codePoints().noneMatch(Values::isSurrogate);
        return whole ? new Known(true, string) : Known.NOT;
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    private static Known array(Object array) {
        int length = Array.getLength(array);
        if (length > MAX_LENGTH) {
            return Known.NOT;
        }
        List<Object> values = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            Known element = of(Array.get(array, i));
            if (!element.known()) {
                return Known.NOT;
            }
            values.add(element.value());
        }
        return new Known(true, values);
    }
}
