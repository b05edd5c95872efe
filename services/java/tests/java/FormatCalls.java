import java.util.Locale;
import java.util.Map;

/** String.format. */
final class FormatCalls {
    private FormatCalls() {}

    static void add(Map<String, Calls.Call> calls) {
        calls.put("format", a -> {
            Object[] arguments = new Object[a.count() - 1];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = argument(a.s(i + 1));
            }
            return String.format(Locale.US, a.s(0), arguments);
        });
    }

    private static Object argument(String text) {
        String value = text.substring(1);
        return switch (text.charAt(0)) {
            case 'n' -> null;
            case 's' -> value;
            case 'z' -> Boolean.valueOf(value);
            case 'c' -> (char) Integer.parseInt(value);
            case 'b' -> Byte.valueOf(value);
            case 'h' -> Short.valueOf(value);
            case 'i' -> Integer.valueOf(value);
            case 'l' -> Long.valueOf(value);
            case 'f' -> Float.intBitsToFloat(Integer.parseUnsignedInt(value, 16));
            default -> Double.longBitsToDouble(Long.parseUnsignedLong(value, 16));
        };
    }
}
