import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/**
 * Answers calls of the class library: a line {@code name TAB argument TAB ..} in, what the JDK gives out; {@code !} stands before
 * an exception. A text is escaped so that it is one line, and a half of a character is spelt {@code \\uXXXX}.
 */
public final class Calls {
    /** A call on its arguments. */
    interface Call {
        Object on(Arguments arguments) throws Exception;
    }

    /** The arguments of a call. */
    record Arguments(String[] fields) {
        int count() {
            return fields.length - 1;
        }

        String s(int i) {
            return unescape(fields[i + 1]);
        }

        int i(int i) {
            return Integer.parseInt(fields[i + 1]);
        }

        long l(int i) {
            return Long.parseLong(fields[i + 1]);
        }

        double d(int i) {
            return Double.longBitsToDouble(Long.parseUnsignedLong(fields[i + 1], 16));
        }

        float f(int i) {
            return Float.intBitsToFloat(Integer.parseUnsignedInt(fields[i + 1], 16));
        }
    }

    static final Map<String, Call> CALLS = new HashMap<>();

    private Calls() {}

    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.US);
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        TextCalls.add(CALLS);
        TimeCalls.add(CALLS);
        RegexCalls.add(CALLS);
        FormatCalls.add(CALLS);
        for (String family : arguments) {
            try {
                Class.forName(family).getDeclaredMethod("add", Map.class).invoke(null, CALLS);
            } catch (ReflectiveOperationException missing) {
                throw new IllegalArgumentException(missing);
            }
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(answer(line.split("\t", -1)) + "\n");
        }
        out.flush();
    }

    private static String answer(String[] fields) {
        Call call = CALLS.get(fields[0]);
        if (call == null) {
            return "?" + fields[0];
        }
        try {
            return escape(show(call.on(new Arguments(fields))));
        } catch (Throwable thrown) {
            String message = thrown.getMessage() == null ? "" : ": " + thrown.getMessage();
            return "!" + escape(thrown.getClass().getName() + message);
        }
    }

    static String show(Object value) {
        if (value instanceof Double number) {
            return Long.toHexString(Double.doubleToLongBits(number));
        }
        if (value instanceof Float number) {
            return Integer.toHexString(Float.floatToIntBits(number));
        }
        if (value instanceof Character unit) {
            return Integer.toString(unit);
        }
        if (value instanceof Object[] items) {
            StringBuilder all = new StringBuilder().append(items.length);
            for (Object item : items) {
                all.append('|').append(show(item));
            }
            return all.toString();
        }
        return String.valueOf(value);
    }

    static String escape(String text) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c >= 0xD800 && c <= 0xDFFF) {
                        out.append(String.format("\\u%04X", c));
                    } else {
                        out.appendCodePoint(c);
                    }
                }
            }
            at += Character.charCount(c);
        }
        return out.toString();
    }

    static String unescape(String text) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\') {
                at++;
                c = switch (text.charAt(at)) {
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> text.charAt(at);
                };
            }
            out.append(c);
        }
        return out.toString();
    }
}
