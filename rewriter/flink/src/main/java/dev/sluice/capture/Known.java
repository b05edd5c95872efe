package dev.sluice.capture;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.text.SimpleDateFormat;
import java.time.chrono.IsoChronology;
import java.time.format.DateTimeFormatter;
import java.time.format.DecimalStyle;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.UUID;
import java.util.regex.Pattern;

/** The classes of the JDK whose objects can be said in a few words. */
final class Known {
    private static final Set<String> UNCERTAIN = Set.of(
            "java.util.IdentityHashMap",
            "java.util.WeakHashMap",
            "java.util.PriorityQueue",
            "java.util.EnumMap$EntrySet");
    private static final Set<String> SHUFFLED = Set.of(
            "java.util.ImmutableCollections$MapN",
            "java.util.ImmutableCollections$SetN",
            "java.util.ImmutableCollections$Set12");

    private Known() {}

    /** The class of an object; that of an initialiser block ({@code new HashMap<>() {{ .. }}}) is the one it fills. */
    static Class<?> type(Class<?> type) {
        Class<?> base = type.getSuperclass();
        boolean fills = type.isAnonymousClass()
                && base != null
                && base.getName().startsWith("java.util.")
                && type.getDeclaredMethods().length == 0;
        return fills ? base : type;
    }

    /** Whether an object is its elements and nothing else. */
    static boolean isCollection(Object object, Class<?> type) {
        if (!type.getName().startsWith("java.util.")
                || type.getName().startsWith("java.util.concurrent.")
                || UNCERTAIN.contains(type.getName())
                || object instanceof SortedMap<?, ?> map && map.comparator() != null
                || object instanceof SortedSet<?> set && set.comparator() != null
                || Boolean.TRUE.equals(Fields.get(object, "accessOrder"))) {
            return false;
        }
        return object instanceof Map<?, ?> || object instanceof Collection<?>;
    }

    /** Whether each process iterates over it in an order of its own. */
    static boolean isShuffled(Class<?> type) {
        return SHUFFLED.contains(type.getName());
    }

    /** Describes a value of the JDK; false where it is not known. */
    static boolean describe(Object object, ObjectNode written) {
        if (object instanceof Pattern pattern) {
            written.put("text", pattern.pattern()).put("flags", pattern.flags());
        } else if (object.getClass() == SimpleDateFormat.class) {
            SimpleDateFormat format = (SimpleDateFormat) object;
            Object locale = Fields.get(object, "locale");
            written.put("text", format.toPattern())
                    .put("zone", format.getTimeZone().getID())
                    .put("locale", locale instanceof Locale given ? given.toLanguageTag() : "")
                    .put("lenient", format.isLenient());
        } else if (object instanceof DateTimeFormatter format
                && (format.getChronology() == null || format.getChronology() instanceof IsoChronology)
                && format.getResolverFields() == null
                && format.getDecimalStyle().equals(DecimalStyle.STANDARD)) {
            written.put("text", format.toString())
                    .put("resolver", format.getResolverStyle().name())
                    .put(
                            "zone",
                            format.getZone() == null ? "" : format.getZone().getId())
                    .put("locale", format.getLocale().toLanguageTag());
        } else if (isReader(object.getClass().getName()) && Fresh.is(object)) {
            written.put("text", "default");
        } else if (object instanceof Class<?> type) {
            written.put("text", type.getName());
        } else if (object instanceof Locale locale) {
            written.put("text", locale.toLanguageTag());
        } else if (object instanceof TimeZone zone
                && object.getClass().getName().startsWith("sun.util.")) {
            written.put("text", zone.getID());
        } else if (object.getClass() == BigDecimal.class
                || object.getClass() == BigInteger.class
                || object instanceof UUID
                || object instanceof Charset
                || isTime(object)) {
            written.put("text", object.toString());
        } else {
            return false;
        }
        return true;
    }

    /** Readers and writers of JSON, which do what they do by their settings. */
    private static boolean isReader(String type) {
        return type.equals("com.google.gson.Gson")
                || type.equals("com.google.gson.JsonParser")
                || type.endsWith("com.fasterxml.jackson.databind.ObjectMapper");
    }

    /** Values of {@code java.time} are written as they are read. */
    private static boolean isTime(Object object) {
        String name = object.getClass().getName();
        return name.startsWith("java.time.") && name.indexOf('.', "java.time.".length()) < 0 && !name.contains("Clock");
    }
}
