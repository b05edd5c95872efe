package dev.sluice.examples.q4;

/**
 * Takes out of a text what carries no sentiment: links and mentions of people. HTML entities become
 * the characters that they stand for, and runs of white space one space. Case and punctuation stay,
 * since VADER reads emphasis from them.
 */
final class Cleaner {
    private static final String[] LINKS = {"http://", "https://", "www."};

    private Cleaner() {}

    static String clean(String text) {
        StringBuilder out = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean startsWord = at == 0 || !isNamePart(text.charAt(at - 1));
            if (startsWord && isLink(text, at)) {
                at = endOfLink(text, at);
            } else if (startsWord && c == '@' && at + 1 < text.length() && isNamePart(text.charAt(at + 1))) {
                at = endOfName(text, at + 1);
            } else if (c == '&' && entity(text, at) != null) {
                append(out, entity(text, at));
                at = text.indexOf(';', at) + 1;
            } else {
                append(out, String.valueOf(c));
                at++;
            }
        }
        int end = out.length();
        return end > 0 && out.charAt(end - 1) == ' ' ? out.substring(0, end - 1) : out.toString();
    }

    private static void append(StringBuilder out, String text) {
        boolean isSpace = text.length() == 1 && Spaces.isSpace(text.charAt(0));
        if (!isSpace) {
            out.append(text);
        } else if (out.length() > 0 && out.charAt(out.length() - 1) != ' ') {
            out.append(' ');
        }
    }

    private static boolean isLink(String text, int at) {
        for (String link : LINKS) {
            if (text.regionMatches(true, at, link, 0, link.length())) {
                return true;
            }
        }
        return false;
    }

    private static int endOfLink(String text, int at) {
        int end = at;
        while (end < text.length() && !Spaces.isSpace(text.charAt(end))) {
            end++;
        }
        return end;
    }

    static int endOfName(String text, int at) {
        int end = at;
        while (end < text.length() && isNamePart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    static boolean isNamePart(char c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    /** What the entity at a place stands for; null where there is none. */
    private static String entity(String text, int at) {
        int end = text.indexOf(';', at);
        if (end < 0 || end > at + 9) {
            return null;
        }
        String name = text.substring(at + 1, end);
        switch (name) {
            case "amp":
                return "&";
            case "lt":
                return "<";
            case "gt":
                return ">";
            case "quot":
                return "\"";
            case "apos":
                return "'";
            case "nbsp":
                return " ";
            default:
                return name.startsWith("#") ? numbered(name.substring(1)) : null;
        }
    }

    private static String numbered(String number) {
        int code;
        try {
            code = number.startsWith("x") || number.startsWith("X")
                    ? Integer.parseInt(number.substring(1), 16)
                    : Integer.parseInt(number);
        } catch (NumberFormatException notOne) {
            return null;
        }
        boolean isCharacter = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        return isCharacter ? new String(Character.toChars(code)) : null;
    }
}
