package dev.sluice.examples.q1;

import java.time.LocalDate;

/**
 * The file's forms of numbers and dates, narrower than Java's own: ASCII digits only, no spaces, no
 * hexadecimal, no words. Everything else is a {@link NumberFormatException} or a {@link
 * java.time.DateTimeException}.
 */
final class Numbers {
    private static final long DAY_MS = 86_400_000L;

    private Numbers() {}

    /** {@code -?digits}, optionally followed by {@code .0} (one edition writes the AQI so). */
    static int integer(String text) {
        int end = text.endsWith(".0") ? text.length() - 2 : text.length();
        int at = text.startsWith("-") ? 1 : 0;
        if (digits(text, at) != end || at == end) {
            throw new NumberFormatException(text);
        }
        return Integer.parseInt(text.substring(0, end));
    }

    /** {@code -?digits(.digits)?([eE][+-]?digits)?}, finite. */
    static double decimal(String text) {
        int at = text.startsWith("-") ? 1 : 0;
        int end = digits(text, at);
        boolean legal = end > at;
        if (end < text.length() && text.charAt(end) == '.') {
            at = end + 1;
            end = digits(text, at);
            legal &= end > at;
        }
        if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
            at = end + 1;
            if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                at++;
            }
            end = digits(text, at);
            legal &= end > at;
        }
        if (!legal || end != text.length()) {
            throw new NumberFormatException(text);
        }
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            throw new NumberFormatException(text);
        }
        return value;
    }

    /** Midnight in UTC of a date {@code yyyy-MM-dd}, epoch milliseconds. */
    static long date(String text) {
        if (text.length() != 10) {
            throw new NumberFormatException(text);
        }
        return LocalDate.parse(text).toEpochDay() * DAY_MS;
    }

    /** The end of the run of digits that starts at {@code at}. */
    private static int digits(String text, int at) {
        int end = at;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }
}
