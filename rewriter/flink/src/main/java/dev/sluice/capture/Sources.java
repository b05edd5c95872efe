package dev.sluice.capture;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.util.SerializedValue;

/**
 * Describes sources by how their events could be given instead: connectors keep their schema in a private field, in a wrapper
 * or two of their own.
 */
final class Sources {
    private static final String FLINK = "org.apache.flink.";
    private static final String KAFKA_CLASS_WRAPPER = "KafkaValueOnlyDeserializerWrapper";
    private static final String GENERATOR = "org.apache.flink.connector.datagen.source.DataGeneratorSource";
    private static final Set<String> LITERALS =
            Set.of("FromElementsGeneratorFunction", "FromElementsFunction", "FromIteratorFunction");
    private static final int MAX_WRAPPERS = 3;

    private Sources() {}

    /** A source and, with {@code schema} and {@code kafka_record}, the schema. */
    record Described(Graph.Source source, Object schema) {}

    /** A source object of either kind. */
    static Described of(Object source, Boundedness boundedness, TypeInformation<?> output) {
        Object schema = null;
        String reads = null;
        for (Field field : Fields.of(source.getClass())) {
            Object held = unwrapped(Fields.value(field, source));
            String by = held == null ? null : readsBy(held, output);
            if (by != null) {
                schema = held;
                reads = by;
                break;
            }
        }
        if (reads == null) {
            reads = isLiteral(source) ? "literals" : readsOf(output);
        }
        boolean withSchema = reads.equals("schema") || reads.equals("kafka_record");
        return new Described(
                new Graph.Source(
                        Functions.className(source),
                        boundedness == Boundedness.BOUNDED,
                        reads,
                        setsTime(source.getClass())),
                withSchema ? schema : null);
    }

    /** The source that two nodes are: one lists files for the other, which reads them in this format. */
    static Graph.Source files(Object format, boolean bounded, TypeInformation<?> read) {
        return new Graph.Source(format.getClass().getName(), bounded, readsOf(read), false);
    }

    /** Whether a source never gives a record a time, so that watermarks by the record's time never move. */
    static boolean isTimeless(Object source) {
        return source.getClass().getName().equals(GENERATOR);
    }

    /** Whether the program itself holds the events: {@code fromData}, {@code fromElements} and the like. */
    private static boolean isLiteral(Object source) {
        Object generator = isTimeless(source) ? Fields.get(source, "generatorFunction") : source;
        return generator != null && LITERALS.contains(generator.getClass().getSimpleName());
    }

    /** The strategy that is set on a legacy Kafka consumer itself. */
    static WatermarkStrategy<?> ownStrategy(Object function, ClassLoader loader) {
        if (!(Fields.get(function, "watermarkStrategy") instanceof SerializedValue<?> serialized)) {
            return null;
        }
        try {
            return serialized.deserializeValue(loader) instanceof WatermarkStrategy<?> strategy ? strategy : null;
        } catch (IOException | ClassNotFoundException e) {
            return null;
        }
    }

    /** The schema in Flink's own wrappers that pass on the value only. */
    private static Object unwrapped(Object held) {
        Object inner = held;
        for (int i = 0;
                i < MAX_WRAPPERS && inner != null && inner.getClass().getName().startsWith(FLINK);
                i++) {
            Object next = wrapped(inner);
            if (next == null || inner instanceof DeserializationSchema<?>) {
                return inner;
            }
            inner = next;
        }
        return inner;
    }

    private static Object wrapped(Object wrapper) {
        if (!wrapper.getClass().getSimpleName().contains("Wrapper")) {
            return null;
        }
        for (Field field : Fields.of(wrapper.getClass())) {
            Object value = Fields.value(field, wrapper);
            if (value != null && isSchema(value.getClass())) {
                return value;
            }
        }
        return null;
    }

    private static String readsBy(Object held, TypeInformation<?> output) {
        if (held instanceof SimpleStringSchema schema && held.getClass() == SimpleStringSchema.class) {
            return schema.getCharset().equals(StandardCharsets.UTF_8) ? "text" : "schema";
        } else if (held instanceof DeserializationSchema<?> schema) {
            return makes(schema, output) ? "schema" : null;
        } else if (held.getClass().getSimpleName().equals(KAFKA_CLASS_WRAPPER)) {
            Object type = Fields.get(held, "deserializerClass");
            String name = type instanceof Class<?> named ? named.getSimpleName() : "";
            return name.equals("StringDeserializer")
                    ? "text"
                    : name.equals("ByteArrayDeserializer") ? "bytes" : "kafka_record";
        }
        return isSchema(held.getClass()) ? "kafka_record" : null;
    }

    private static boolean makes(DeserializationSchema<?> schema, TypeInformation<?> output) {
        try {
            return schema.getProducedType().equals(output);
        } catch (RuntimeException e) {
            return true;
        }
    }

    /** Connectors have interfaces of their own for schemas that see more than the value. */
    private static boolean isSchema(Class<?> type) {
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            for (Class<?> one : owner.getInterfaces()) {
                boolean flinks = one.getName().startsWith(FLINK);
                if ((flinks && one.getSimpleName().endsWith("DeserializationSchema")) || isSchema(one)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String readsOf(TypeInformation<?> output) {
        if (BasicTypeInfo.STRING_TYPE_INFO.equals(output)) {
            return "text";
        }
        return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.equals(output) ? "bytes" : "opaque";
    }

    /** Whether the code of a {@code SourceFunction} names the methods that set times and watermarks. */
    private static boolean setsTime(Class<?> source) {
        for (Class<?> type = source; type != null && CallPath.isProgram(type); type = type.getSuperclass()) {
            Set<String> strings = strings(type);
            if (strings.contains("collectWithTimestamp") || strings.contains("emitWatermark")) {
                return true;
            }
        }
        return false;
    }

    /** The names and texts in a class file. */
    private static Set<String> strings(Class<?> type) {
        Set<String> strings = new HashSet<>();
        ClassLoader loader = type.getClassLoader();
        try (InputStream bytes = loader == null
                ? null
                : loader.getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
            if (bytes == null) {
                return strings;
            }
            ClassReader reader = new ClassReader(bytes.readAllBytes());
            char[] buffer = new char[reader.getMaxStringLength()];
            for (int i = 1; i < reader.getItemCount(); i++) {
                int offset = reader.getItem(i);
                // A name and its type: the former is what is sought.
                if (offset > 0 && reader.readByte(offset - 1) == 12) {
                    strings.add(reader.readUTF8(offset, buffer));
                }
            }
        } catch (IOException | RuntimeException e) {
            // Nothing is known of a class file that can't be read.
        }
        return strings;
    }
}
