package dev.sluice.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Live objects as the text of {@code constants/<node>.json}: everything that is reachable from some roots, each object once. */
final class ObjectGraph {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final int maxValues;
    private final Map<Object, Integer> places = new IdentityHashMap<>();
    private final List<Object> objects = new ArrayList<>();
    private int values;

    private ObjectGraph(int maxValues) {
        this.maxValues = maxValues;
    }

    /** Too much is reachable from the roots. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** A root that stands for what can't be said. */
    static final Object OPAQUE = new Object();

    /** The text, and the classes of all objects. */
    record Written(byte[] text, List<Object> objects) {}

    /** Writes what is reachable from the roots, which are in order by name; those of primitive type are boxed and listed. */
    static Written write(Map<String, Root> roots, int maxValues) throws IOException {
        ObjectGraph graph = new ObjectGraph(maxValues);
        ObjectNode named = JSON.objectNode();
        for (Map.Entry<String, Root> root : new TreeMap<>(roots).entrySet()) {
            named.set(
                    root.getKey(),
                    graph.value(root.getValue().value(), root.getValue().isPrimitive()));
        }
        ArrayNode objects = JSON.arrayNode();
        for (int i = 0; i < graph.objects.size(); i++) {
            objects.add(graph.object(graph.objects.get(i)));
        }
        ObjectNode whole = JSON.objectNode();
        whole.set("objects", objects);
        whole.set("roots", named);
        return new Written(MAPPER.writeValueAsBytes(whole), graph.objects);
    }

    /** Where the walk begins. */
    record Root(Object value, boolean isPrimitive) {}

    private JsonNode value(Object value, boolean isPrimitive) throws TooLargeException {
        if (++values > maxValues) {
            throw new TooLargeException();
        }
        if (value == null) {
            return JSON.nullNode();
        } else if (value instanceof String text && !hasSurrogate(text)) {
            return JSON.objectNode().put("s", text);
        } else if (isBox(value)) {
            JsonNode scalar = scalar(value);
            return isPrimitive ? scalar : JSON.objectNode().set("box", scalar);
        }
        Integer place = places.get(value);
        if (place == null) {
            place = objects.size();
            places.put(value, place);
            objects.add(value);
        }
        return JSON.objectNode().put("ref", place);
    }

    private static boolean isBox(Object value) {
        return value instanceof Boolean
                || value instanceof Character
                || value instanceof Number && value.getClass().getName().startsWith("java.lang.");
    }

    private static JsonNode scalar(Object value) {
        ObjectNode scalar = JSON.objectNode();
        if (value instanceof Boolean truth) {
            return JSON.booleanNode(truth);
        } else if (value instanceof Integer number) {
            return scalar.put("i", number);
        } else if (value instanceof Long number) {
            return scalar.put("l", number.toString());
        } else if (value instanceof Float number) {
            return scalar.put("f", number.toString());
        } else if (value instanceof Double number) {
            return scalar.put("d", number.toString());
        } else if (value instanceof Byte number) {
            return scalar.put("b", number);
        } else if (value instanceof Short number) {
            return scalar.put("h", number);
        }
        return scalar.put("c", (int) (Character) value);
    }

    /** A UTF-8 text can't hold half of a pair. */
    private static boolean hasSurrogate(String text) {
        return text.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private ObjectNode object(Object object) throws TooLargeException {
        Class<?> type = object.getClass();
        if (object instanceof Enum<?> symbol) {
            ObjectNode written =
                    JSON.objectNode().put("enum", symbol.getDeclaringClass().getName());
            written.put("name", symbol.name()).put("ordinal", symbol.ordinal());
            if (type != symbol.getDeclaringClass()) {
                written.put("class", type.getName());
            }
            return written.set("fields", isForeign(type) ? JSON.objectNode() : fields(object));
        } else if (type.isArray()) {
            return array(object);
        }
        Class<?> shown = Known.type(type);
        ObjectNode written = JSON.objectNode().put("class", shown.getName());
        if (Known.isCollection(object, shown)) {
            return object instanceof Map<?, ?> map
                    ? written.set("entries", entries(map, shown))
                    : written.set("items", items((Collection<?>) object, shown));
        } else if (Known.describe(object, written)) {
            return written;
        } else if (isForeign(type) || object == OPAQUE) {
            return written.put("opaque", true);
        }
        return written.set("fields", fields(object));
    }

    private ObjectNode array(Object array) throws TooLargeException {
        Class<?> type = array.getClass();
        ArrayNode elements = JSON.arrayNode();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(value(Array.get(array, i), type.getComponentType().isPrimitive()));
        }
        return JSON.objectNode().put("array", type.getName()).set("values", elements);
    }

    private ArrayNode entries(Map<?, ?> map, Class<?> type) throws TooLargeException {
        List<Map.Entry<?, ?>> inOrder = new ArrayList<>(map.entrySet());
        if (Known.isShuffled(type)) {
            inOrder.sort(Comparator.comparing(entry -> String.valueOf(entry.getKey())));
        }
        ArrayNode entries = JSON.arrayNode();
        for (Map.Entry<?, ?> entry : inOrder) {
            entries.add(JSON.arrayNode().add(value(entry.getKey(), false)).add(value(entry.getValue(), false)));
        }
        return entries;
    }

    private ArrayNode items(Collection<?> collection, Class<?> type) throws TooLargeException {
        List<Object> inOrder = new ArrayList<>(collection);
        if (Known.isShuffled(type)) {
            inOrder.sort(Comparator.comparing(String::valueOf));
        }
        ArrayNode items = JSON.arrayNode();
        for (Object item : inOrder) {
            items.add(value(item, false));
        }
        return items;
    }

    /** The fields of the user's own classes, and of tuples. */
    private ObjectNode fields(Object object) throws TooLargeException {
        ObjectNode fields = JSON.objectNode();
        for (Field field : Fields.of(object.getClass())) {
            Class<?> owner = field.getDeclaringClass();
            if (isForeign(owner) || owner == Enum.class) {
                continue;
            }
            boolean readable = field.trySetAccessible();
            Object value = readable ? Fields.value(field, object) : OPAQUE;
            fields.set(
                    owner.getName().replace('.', '/') + "." + field.getName(),
                    value(value, field.getType().isPrimitive() && readable));
        }
        return fields;
    }

    /** Whether the state of objects of a class is not just the fields that the user wrote. */
    private static boolean isForeign(Class<?> type) {
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            String name = owner.getName();
            boolean known = name.equals("java.lang.Object")
                    || name.equals("java.lang.Record")
                    || name.equals("java.lang.Enum")
                    || name.startsWith("org.apache.flink.api.java.tuple.Tuple");
            boolean flinks = owner != type && name.startsWith("org.apache.flink.") && hasNoLastingField(owner);
            if (!known && !flinks && (owner.isHidden() || Reach.isLibrary(name.replace('.', '/')))) {
                return true;
            }
        }
        return type == Object.class;
    }

    private static boolean hasNoLastingField(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())) {
                return false;
            }
        }
        return true;
    }
}
