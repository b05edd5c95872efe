import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Date;
import java.util.Locale;
import java.util.Map;

/** java.time and SimpleDateFormat. */
final class TimeCalls {
    private TimeCalls() {}

    static void add(Map<String, Calls.Call> calls) {
        calls.put("LocalDate.parse", a -> LocalDate.parse(a.s(0)));
        calls.put("LocalTime.parse", a -> LocalTime.parse(a.s(0)));
        calls.put("LocalDateTime.parse", a -> LocalDateTime.parse(a.s(0)));
        calls.put("ZonedDateTime.parse", a -> ZonedDateTime.parse(a.s(0)));
        calls.put("OffsetDateTime.parse", a -> OffsetDateTime.parse(a.s(0)));
        calls.put("Instant.parse", a -> Instant.parse(a.s(0)));
        calls.put("LocalDate.parse by", a -> LocalDate.parse(a.s(1), by(a.s(0))));
        calls.put("LocalTime.parse by", a -> LocalTime.parse(a.s(1), by(a.s(0))));
        calls.put("LocalDateTime.parse by", a -> LocalDateTime.parse(a.s(1), by(a.s(0))));
        calls.put("ZonedDateTime.parse by", a -> ZonedDateTime.parse(a.s(1), by(a.s(0))));
        calls.put("OffsetDateTime.parse by", a -> OffsetDateTime.parse(a.s(1), by(a.s(0))));
        calls.put("LocalDateTime.format", a -> by(a.s(0)).format(local(a)));
        calls.put("LocalDate.format", a -> by(a.s(0)).format(local(a).toLocalDate()));
        calls.put("ZonedDateTime.format", a -> by(a.s(0)).format(local(a).atZone(ZoneOffset.ofTotalSeconds(a.i(3)))));
        calls.put("Instant.format", a -> by(a.s(0)).withZone(ZoneId.of("UTC")).format(local(a).toInstant(ZoneOffset.UTC)));
        calls.put("LocalDateTime.toString", TimeCalls::local);
        calls.put("LocalDateTime.hashCode", a -> local(a).hashCode());
        calls.put("LocalDateTime.plusMonths", a -> local(a).plusMonths(a.l(3)));
        calls.put("LocalDateTime.plusYears", a -> local(a).plusYears(a.l(3)));
        calls.put("LocalDateTime.plusNanos", a -> local(a).plusNanos(a.l(3)));
        calls.put("LocalDateTime.fields", a -> {
            LocalDateTime local = local(a);
            return local.getDayOfYear() + " " + local.getDayOfWeek() + " " + local.toLocalDate().lengthOfMonth();
        });
        calls.put("Instant.toString", a -> Instant.ofEpochSecond(a.l(0), a.l(1)));
        calls.put("Instant.toEpochMilli", a -> Instant.ofEpochSecond(a.l(0), a.l(1)).toEpochMilli());
        calls.put("Instant.ofEpochMilli", a -> Instant.ofEpochMilli(a.l(0)));
        calls.put("SimpleDateFormat.parse", a -> new SimpleDateFormat(a.s(0)).parse(a.s(1)).getTime());
        calls.put("SimpleDateFormat.format", a -> new SimpleDateFormat(a.s(0)).format(new Date(a.l(1))));
        calls.put("DateTimeFormatter.toString", a -> by(a.s(0)));
        calls.put("Duration.toString", a -> Duration.ofSeconds(a.l(0), a.l(1)));
        calls.put("Duration.toMillis", a -> Duration.ofSeconds(a.l(0), a.l(1)).toMillis());
        calls.put("Duration.toNanos", a -> Duration.ofSeconds(a.l(0), a.l(1)).toNanos());
    }

    private static LocalDateTime local(Calls.Arguments a) {
        return LocalDateTime.ofEpochSecond(a.l(1), a.i(2), ZoneOffset.UTC);
    }

    private static DateTimeFormatter by(String pattern) throws ReflectiveOperationException {
        if (pattern.contains("ISO_")) {
            return (DateTimeFormatter) DateTimeFormatter.class.getField(pattern).get(null);
        }
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    }
}
