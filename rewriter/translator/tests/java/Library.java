import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Java's library: each method takes a text and gives one; the JVM says what is right. */
final class Library {
    private Library() {}

    static String splits(String in) {
        String[] words = in.split(" ");
        String[] letters = in.split("", -1);
        String[] parts = (in + ",,").split(",", -1);
        String[] runs = in.split("[^a-z]+", 2);
        String out = words.length + " " + letters.length + " " + parts.length + " " + runs.length;
        for (String word : words) {
            out += "|" + word;
        }
        return out + "|" + runs[0];
    }

    static String replaces(String in) {
        return in.replaceAll("[aeiou]+", "<$0>") + in.replaceFirst("(.)(.)", "$2$1") + in.replaceAll("\\s*", "");
    }

    static String matches(String in) {
        return "" + in.matches("[a-z ]+") + Pattern.matches("-?\\d+", in) + in.matches("(a|ab)(c|bcd)?.*");
    }

    static String finds(String in) {
        Matcher matcher = Pattern.compile("([a-m])([n-z])?").matcher(in);
        StringBuilder out = new StringBuilder();
        while (matcher.find()) {
            out.append(matcher.start()).append('-').append(matcher.end()).append(matcher.group(1));
            out.append(matcher.group(2)).append(';');
        }
        return out.append(matcher.groupCount()).toString();
    }

    static String group(String in) {
        Matcher matcher = Pattern.compile("(?<first>\\w+) (\\w+)(.*)").matcher(in);
        if (matcher.matches()) {
            return matcher.group("first") + "," + matcher.group(2) + "," + matcher.group(3);
        }
        return matcher.group(1);
    }

    static String local(String in) {
        String time = "2024-02-2" + in.length() % 10 + "T0" + in.length() % 10 + ":30:59";
        LocalDateTime at = LocalDateTime.parse(time);
        return at.toEpochSecond(ZoneOffset.UTC) + " " + at.plusDays(in.length()).toLocalDate() + " " + at.getHour();
    }

    static String badDate(String in) {
        try {
            return LocalDate.parse(in.isEmpty() ? "2023-02-29" : in).toString();
        } catch (DateTimeParseException wrong) {
            return wrong.getMessage();
        }
    }

    static String dates(String in) {
        LocalDate date = LocalDate.of(2020, 1 + in.length() % 12, 28).plusMonths(in.length()).minusDays(3);
        LocalDateTime start = date.atStartOfDay();
        return date + " " + date.getDayOfYear() + " " + date.toEpochDay() + " " + start + " " + date.isLeapYear()
                + " " + start.isBefore(LocalDateTime.of(2020, 6, 1, 0, 0)) + " " + date.lengthOfMonth();
    }

    static String patterns(String in) {
        String time = "2021-03-0" + (1 + in.length() % 9) + " 12:0" + in.length() % 10;
        LocalDateTime at = LocalDateTime.parse(time, DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm"));
        DateTimeFormatter english = DateTimeFormatter.ofPattern("EEE, d MMM yyyy hh:mm a", Locale.ENGLISH);
        return at.format(english) + " " + english.format(at.plusHours(in.length()));
    }

    static String instants(String in) {
        Instant at = Instant.ofEpochMilli(in.hashCode() * 1_000_003L);
        Duration between = Duration.between(at, Instant.parse("2020-01-01T00:00:00.5Z"));
        return at + " " + at.plusSeconds(90) + " " + between + " " + between.toMinutes() + " " + at.getEpochSecond();
    }

    static String zones(String in) {
        OffsetDateTime at = OffsetDateTime.parse("2020-05-05T10:15:30+0" + in.length() % 10 + ":00");
        ZonedDateTime zoned = ZonedDateTime.parse("2020-05-05T10:15:30Z");
        return at.toInstant() + " " + at + " " + zoned.toInstant().toEpochMilli() + " " + zoned;
    }

    static String times(String in) {
        try {
            LocalTime time = LocalTime.of(in.length(), in.length() * 5);
            return time.plusMinutes(50) + " " + time.toSecondOfDay();
        } catch (DateTimeException wrong) {
            return wrong.getMessage();
        }
    }

    static String formats(String in) {
        int n = in.hashCode();
        return String.format("%s|%5d|%-8s|%08.3f|%x|%,d|%e|%c|%b|%%", in, n, in, n / 7.0, n, n, n * 1e-3, 'c', n > 0)
                + String.format(Locale.ROOT, "%.2f %10s", n / 100.0, in);
    }

    static String wrongFormat(String in) {
        return String.format("%d", in);
    }

    static String characters(String in) {
        StringBuilder out = new StringBuilder();
        String text = in + "Éß٣ \u00a0Σ\uD83D\uDE00ǅ";
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int c = text.codePointAt(at);
            out.append(Character.isLetter(c) ? 'l' : '.').append(Character.isDigit(c) ? 'd' : '.');
            out.append(Character.isWhitespace(c) ? 'w' : '.').append(Character.isUpperCase(c) ? 'u' : '.');
            out.append(Character.getNumericValue(c)).appendCodePoint(Character.toLowerCase(c));
        }
        return out.toString();
    }

    static String cases(String in) {
        return in.toUpperCase(Locale.ROOT) + in.toLowerCase(Locale.ENGLISH) + "Straße İ".toUpperCase(Locale.ROOT)
                + "ΟΔΟΣ".toLowerCase(Locale.ROOT);
    }
}
