import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prints what this JDK knows of characters, for {@code src/character/java-17.txt}: the distinct records, the runs of code points
 * that share one, and the mappings to upper case that give more than one character.
 */
public final class Tables {
    private Tables() {}

    public static void main(String[] arguments) {
        Map<String, Integer> records = new LinkedHashMap<>();
        List<String> runs = new ArrayList<>();
        List<String> specials = new ArrayList<>();
        int start = 0;
        Integer running = null;
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            Integer record = records.computeIfAbsent(record(c), unknown -> records.size());
            if (running != null && !record.equals(running)) {
                runs.add(Integer.toHexString(c - start) + "*" + Integer.toHexString(running));
                start = c;
            }
            running = record;
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                String upper = Character.toString(c).toUpperCase(Locale.ROOT);
                if (!upper.equals(Character.toString(Character.toUpperCase(c)))) {
                    specials.add(Integer.toHexString(c) + "=" + upper.codePoints().mapToObj(Integer::toHexString)
                            .collect(Collectors.joining("+")));
                }
            }
        }
        runs.add(Integer.toHexString(Character.MAX_CODE_POINT + 1 - start) + "*" + Integer.toHexString(running));
        print("record", new ArrayList<>(records.keySet()));
        print("run", runs);
        print("upper", specials);
    }

    /** General category, further properties, distances to lower, upper and title case, decimal digit, numeric value. */
    private static String record(int c) {
        int flags = (Character.isLowerCase(c) ? 1 : 0)
                | (Character.isUpperCase(c) ? 2 : 0)
                | (Character.isAlphabetic(c) ? 4 : 0)
                | (Character.isIdeographic(c) ? 8 : 0)
                | (Character.isMirrored(c) ? 16 : 0)
                | (Character.isWhitespace(c) ? 32 : 0)
                | (Character.isUnicodeIdentifierStart(c) ? 64 : 0)
                | (Character.isUnicodeIdentifierPart(c) ? 128 : 0);
        return Character.getType(c) + "," + flags + "," + (Character.toLowerCase(c) - c) + ","
                + (Character.toUpperCase(c) - c) + "," + (Character.toTitleCase(c) - c) + ","
                + Character.digit(c, Character.MAX_RADIX) + "," + Character.getNumericValue(c);
    }

    private static void print(String what, List<String> items) {
        StringBuilder line = new StringBuilder();
        for (String item : items) {
            if (line.length() + item.length() > 150) {
                System.out.println(what + line);
                line.setLength(0);
            }
            line.append(' ').append(item);
        }
        System.out.println(what + line);
    }
}
