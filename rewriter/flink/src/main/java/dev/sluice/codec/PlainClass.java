package dev.sluice.codec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.InvalidTypesException;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.EnumTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;

/**
 * Classes that Flink leaves to Kryo, though their objects are their fields and nothing else: Kryo writes each field, and so
 * can a record. Only values that can't be shared or changed are looked at, so that nothing of an object's shape is lost.
 */
public final class PlainClass {
    /** What has a serializer of its own in Kryo or in Flink begins with one of these. */
    private static final List<String> OTHERS = List.of(
            "java.",
            "javax.",
            "scala.",
            "com.esotericsoftware.",
            "com.google.protobuf.",
            "org.apache.avro.",
            "org.apache.flink.",
            "org.apache.thrift.");

    private PlainClass() {}

    /** The fields of a plain class, those of the classes above it first; none for any other. */
    public static Optional<List<Field>> fields(Class<?> type) {
        int modifiers = type.getModifiers();
        boolean made = !type.isInterface() && !type.isArray() && !type.isPrimitive() && !Modifier.isAbstract(modifiers);
        if (!made || type.isEnum() || type.isRecord() || !isUsers(type)) {
            return Optional.empty();
        }
        List<Field> all = new ArrayList<>();
        for (Class<?> owner = type; owner != Object.class; owner = owner.getSuperclass()) {
            List<Field> own = Arrays.stream(owner.getDeclaredFields())
                    .filter(field -> !Modifier.isStatic(field.getModifiers()))
                    .toList();
            all.addAll(0, own);
        }
        boolean plain = !all.isEmpty() && all.stream().allMatch(PlainClass::isPlain);
        boolean named = all.stream().map(Field::getName).distinct().count() == all.size();
        return plain && named ? Optional.of(all) : Optional.empty();
    }

    /** The type of a field of a plain class. */
    public static TypeInformation<?> typeOf(Field field) {
        return TypeExtractor.createTypeInfo(field.getType());
    }

    /**
     * Whether a class near it, in its jar, stands below it: then an object may be more than its declared class. Asked where the
     * types of events are decided; a codec does as its schema says.
     */
    public static boolean hasSubclass(Class<?> type) {
        if (Modifier.isFinal(type.getModifiers())) {
            return false;
        }
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            return true;
        }
        try {
            Path place = Path.of(source.getLocation().toURI());
            if (Files.isDirectory(place)) {
                return hasSubclass(type, place);
            }
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                return hasSubclass(type, jar.getPath("/"));
            }
        } catch (IOException | UncheckedIOException | URISyntaxException | IllegalArgumentException e) {
            return true;
        }
    }

    private static boolean isPlain(Field field) {
        if (field.isSynthetic() || Modifier.isTransient(field.getModifiers()) || isAnnotated(field.getAnnotations())) {
            return false;
        }
        boolean known = field.getType().isPrimitive()
                || field.getType().isEnum()
                || field.getType().getName().startsWith("java.lang.");
        try {
            return known && (typeOf(field) instanceof BasicTypeInfo<?> || typeOf(field) instanceof EnumTypeInfo<?>);
        } catch (InvalidTypesException e) {
            return false;
        }
    }

    /** Whether all that a class is, but for an object, is the user's. */
    private static boolean isUsers(Class<?> type) {
        for (Class<?> owner = type; owner != Object.class; owner = owner.getSuperclass()) {
            if (isOther(owner)
                    || isAnnotated(owner.getAnnotations())
                    || !Arrays.stream(owner.getInterfaces()).allMatch(PlainClass::isHarmless)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHarmless(Class<?> above) {
        boolean marker = above == java.io.Serializable.class || above == Comparable.class || above == Cloneable.class;
        return marker || !isOther(above) && Arrays.stream(above.getInterfaces()).allMatch(PlainClass::isHarmless);
    }

    private static boolean isOther(Class<?> type) {
        return OTHERS.stream().anyMatch(type.getName()::startsWith);
    }

    private static boolean isAnnotated(java.lang.annotation.Annotation[] annotations) {
        return Arrays.stream(annotations)
                .anyMatch(a -> a.annotationType().getName().startsWith("com.esotericsoftware."));
    }

    private static boolean hasSubclass(Class<?> type, Path root) throws IOException {
        Path near = root;
        String[] parts = type.getPackageName().split("\\.");
        for (int i = 0; i < Math.min(parts.length, 2) && !type.getPackageName().isEmpty(); i++) {
            near = near.resolve(parts[i]);
        }
        try (Stream<Path> files = Files.walk(near)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .anyMatch(name -> isBelow(name, type));
        }
    }

    private static boolean isBelow(String name, Class<?> type) {
        try {
            Class<?> other = Class.forName(name, false, type.getClassLoader());
            return other != type && type.isAssignableFrom(other);
        } catch (ClassNotFoundException | LinkageError e) {
            // What can't be loaded here has no objects either.
            return false;
        }
    }
}
