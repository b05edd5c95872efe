import java.util.Locale;
import java.util.Map;

/** String, Character and numbers. */
final class TextCalls {
    private TextCalls() {}

    static void add(Map<String, Calls.Call> calls) {
        calls.put("length", a -> a.s(0).length());
        calls.put("charAt", a -> a.s(0).charAt(a.i(1)));
        calls.put("codePointAt", a -> a.s(0).codePointAt(a.i(1)));
        calls.put("codePointBefore", a -> a.s(0).codePointBefore(a.i(1)));
        calls.put("codePointCount", a -> a.s(0).codePointCount(a.i(1), a.i(2)));
        calls.put("substring", a -> a.s(0).substring(a.i(1), a.i(2)));
        calls.put("substringFrom", a -> a.s(0).substring(a.i(1)));
        calls.put("trim", a -> a.s(0).trim());
        calls.put("strip", a -> a.s(0).strip());
        calls.put("stripLeading", a -> a.s(0).stripLeading());
        calls.put("stripTrailing", a -> a.s(0).stripTrailing());
        calls.put("isBlank", a -> a.s(0).isBlank());
        calls.put("compareTo", a -> a.s(0).compareTo(a.s(1)));
        calls.put("compareToIgnoreCase", a -> a.s(0).compareToIgnoreCase(a.s(1)));
        calls.put("equalsIgnoreCase", a -> a.s(0).equalsIgnoreCase(a.s(1)));
        calls.put("regionMatches", a -> a.s(0).regionMatches(a.i(1) != 0, a.i(2), a.s(3), a.i(4), a.i(5)));
        calls.put("indexOfChar", a -> a.s(0).indexOf(a.i(1), a.i(2)));
        calls.put("lastIndexOfChar", a -> a.s(0).lastIndexOf(a.i(1), a.i(2)));
        calls.put("indexOf", a -> a.s(0).indexOf(a.s(1), a.i(2)));
        calls.put("lastIndexOf", a -> a.s(0).lastIndexOf(a.s(1), a.i(2)));
        calls.put("startsWith", a -> a.s(0).startsWith(a.s(1), a.i(2)));
        calls.put("replace", a -> a.s(0).replace(a.s(1), a.s(2)));
        calls.put("replaceChar", a -> a.s(0).replace((char) a.i(1), (char) a.i(2)));
        calls.put("repeat", a -> a.s(0).repeat(a.i(1)));
        calls.put("lines", a -> a.s(0).lines().toArray());
        calls.put("hashCode", a -> a.s(0).hashCode());
        calls.put("toLowerCase", a -> a.s(0).toLowerCase(Locale.ROOT));
        calls.put("toUpperCase", a -> a.s(0).toUpperCase(Locale.ROOT));
        calls.put("parseInt", a -> Integer.parseInt(a.s(0), a.i(1)));
        calls.put("parseLong", a -> Long.parseLong(a.s(0), a.i(1)));
        calls.put("parseShort", a -> Short.parseShort(a.s(0), a.i(1)));
        calls.put("parseByte", a -> Byte.parseByte(a.s(0), a.i(1)));
        calls.put("decodeInt", a -> Integer.decode(a.s(0)));
        calls.put("decodeLong", a -> Long.decode(a.s(0)));
        calls.put("parseUnsignedInt", a -> Integer.parseUnsignedInt(a.s(0), a.i(1)));
        calls.put("longToString", a -> Long.toString(a.l(0), a.i(1)));
        calls.put("longToUnsignedString", a -> Long.toUnsignedString(a.l(0), a.i(1)));
        calls.put("longHash", a -> Long.hashCode(a.l(0)));
        calls.put("doubleHash", a -> Double.hashCode(a.d(0)));
        calls.put("floatHash", a -> Float.hashCode(a.f(0)));
        calls.put("parseDouble", a -> Double.parseDouble(a.s(0)));
        calls.put("parseFloat", a -> Float.parseFloat(a.s(0)));
        calls.put("doubleToString", a -> Double.toString(a.d(0)));
        calls.put("floatToString", a -> Float.toString(a.f(0)));
        calls.put("digit", a -> Character.digit(a.i(0), a.i(1)));
        calls.put("character", a -> character(a.i(0)));
    }

    /** All that is asked of a code point. */
    private static String character(int c) {
        boolean[] flags = {
            Character.isLetter(c), Character.isDigit(c), Character.isLetterOrDigit(c), Character.isWhitespace(c),
            Character.isSpaceChar(c), Character.isUpperCase(c), Character.isLowerCase(c), Character.isTitleCase(c),
            Character.isAlphabetic(c), Character.isIdeographic(c), Character.isMirrored(c), Character.isDefined(c),
            Character.isISOControl(c), Character.isIdentifierIgnorable(c), Character.isUnicodeIdentifierStart(c),
            Character.isUnicodeIdentifierPart(c), Character.isJavaIdentifierStart(c), Character.isJavaIdentifierPart(c),
        };
        StringBuilder out = new StringBuilder();
        for (boolean flag : flags) {
            out.append(flag ? '1' : '0');
        }
        int[] values = {
            Character.getType(c), Character.toLowerCase(c), Character.toUpperCase(c), Character.toTitleCase(c),
            Character.digit(c, 10), Character.digit(c, 36), Character.getNumericValue(c),
        };
        for (int value : values) {
            out.append(' ').append(value);
        }
        return out.toString();
    }
}
