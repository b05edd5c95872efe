import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.util.Map;

/** Jackson and Gson. */
@SuppressWarnings("deprecation")
final class JsonCalls {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private JsonCalls() {}

    static void add(Map<String, Calls.Call> calls) {
        calls.put("jackson", a -> {
            JsonNode node = MAPPER.readTree(a.s(0));
            return node.isMissingNode() ? "nothing" : node.toString();
        });
        calls.put("jackson.asText", a -> MAPPER.readTree(a.s(0)).path("a").asText());
        calls.put("jackson.asInt", a -> MAPPER.readTree(a.s(0)).path("a").asInt());
        calls.put("jackson.asLong", a -> MAPPER.readTree(a.s(0)).path("a").asLong());
        calls.put("jackson.asDouble", a -> MAPPER.readTree(a.s(0)).path("a").asDouble());
        calls.put("jackson.asBoolean", a -> MAPPER.readTree(a.s(0)).path("a").asBoolean());
        calls.put("jackson.intValue", a -> MAPPER.readTree(a.s(0)).path("a").intValue());
        calls.put("jackson.longValue", a -> MAPPER.readTree(a.s(0)).path("a").longValue());
        calls.put("jackson.doubleValue", a -> MAPPER.readTree(a.s(0)).path("a").doubleValue());
        calls.put("jackson.write", a -> MAPPER.writeValueAsString(a.s(0)));
        calls.put("gson", a -> {
            JsonElement element = new JsonParser().parse(a.s(0));
            return element.toString();
        });
        calls.put("gson.getAsString", a -> gson(a).getAsString());
        calls.put("gson.getAsInt", a -> gson(a).getAsInt());
        calls.put("gson.getAsLong", a -> gson(a).getAsLong());
        calls.put("gson.getAsDouble", a -> gson(a).getAsDouble());
        calls.put("gson.getAsBoolean", a -> gson(a).getAsBoolean());
        calls.put("gson.write", a -> new Gson().toJson(a.s(0)));
        for (String type : new String[] {"String", "int", "long", "double", "float", "boolean", "Integer", "Double"}) {
            calls.put("jackson.bind " + type, a -> bound(MAPPER.readValue(a.s(0), shape(type)), type));
            calls.put("gson.bind " + type, a -> bound(new Gson().fromJson(a.s(0), shape(type)), type));
        }
    }

    private static JsonElement gson(Calls.Arguments a) {
        return new JsonParser().parse(a.s(0)).getAsJsonObject().get("a");
    }

    private static Class<?> shape(String type) throws ClassNotFoundException {
        return Class.forName("JsonCalls$" + (Character.isLowerCase(type.charAt(0)) ? "Plain" : "Boxed") + type);
    }

    private static Object bound(Object object, String type) throws ReflectiveOperationException {
        return object == null ? null : object.getClass().getField("a").get(object);
    }

    public static final class BoxedString {
        public String a;
    }

    public static final class Plainint {
        public int a;
    }

    public static final class Plainlong {
        public long a;
    }

    public static final class Plaindouble {
        public double a;
    }

    public static final class Plainfloat {
        public float a;
    }

    public static final class Plainboolean {
        public boolean a;
    }

    public static final class BoxedInteger {
        public Integer a;
    }

    public static final class BoxedDouble {
        public Double a;
    }
}
