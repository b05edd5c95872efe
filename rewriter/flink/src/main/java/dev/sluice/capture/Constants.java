package dev.sluice.capture;

import dev.sluice.capture.ObjectGraph.Root;
import java.io.IOException;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;
import org.apache.flink.util.InstantiationUtil;

/**
 * The constants of a job's functions: what each holds, and the static fields that its code can read, after the initialisers of
 * their classes ran. They are those that a process finds in which {@code main} never ran, which is where functions run; so
 * the functions are loaded anew, by two class loaders. What differs between the two depends on more than the code.
 */
final class Constants {
    /** Of one function. */
    static final int MAX_BYTES = 32 << 20;

    private static final int MAX_VALUES = 4 << 20;

    private Constants() {}

    /** The entries of a job's functions, by name. */
    static Map<String, byte[]> of(Map<String, byte[]> serialized, ClassLoader one, ClassLoader other) {
        Map<String, byte[]> entries = new TreeMap<>();
        for (Map.Entry<String, byte[]> function : serialized.entrySet()) {
            String name = name(function.getKey());
            try {
                byte[] text = same(roots(function, one), roots(function, other));
                if (text.length <= MAX_BYTES) {
                    entries.put(name, text);
                }
            } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
                // A function that can't be loaded alone: nothing is known of it.
                continue;
            }
        }
        return entries;
    }

    private static String name(String entry) {
        String node = entry.substring(entry.indexOf('/') + 1, entry.indexOf('.'));
        return "constants/" + node + (entry.startsWith("watermarks/") ? ".assigner.json" : ".json");
    }

    private static byte[] same(Map<String, Root> roots, Map<String, Root> again) throws IOException {
        byte[] text = ObjectGraph.write(roots, MAX_VALUES).text();
        if (Arrays.equals(text, ObjectGraph.write(again, MAX_VALUES).text())) {
            return text;
        }
        Map<String, Root> certain = new TreeMap<>();
        for (Map.Entry<String, Root> root : roots.entrySet()) {
            boolean equal = again.containsKey(root.getKey())
                    && Arrays.equals(alone(root.getValue()), alone(again.get(root.getKey())));
            certain.put(root.getKey(), equal ? root.getValue() : new Root(ObjectGraph.OPAQUE, false));
        }
        return ObjectGraph.write(certain, MAX_VALUES).text();
    }

    private static byte[] alone(Root root) throws IOException {
        return ObjectGraph.write(Map.of("it", root), MAX_VALUES).text();
    }

    private static Map<String, Root> roots(Map.Entry<String, byte[]> serialized, ClassLoader loader)
            throws IOException, ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            Object object = InstantiationUtil.deserializeObject(serialized.getValue(), loader);
            boolean strategy = serialized.getKey().startsWith("watermarks/");
            return roots(strategy ? Strategies.assigner((WatermarkStrategy<?>) object) : object, loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** What a function holds, and the static fields that its code, and that of all objects in them, can read. */
    static Map<String, Root> roots(Object function, ClassLoader loader) throws IOException {
        Reach reach = new Reach(loader);
        Map<String, Root> roots = new TreeMap<>();
        SerializedLambda lambda = Functions.lambda(function);
        if (lambda != null) {
            captured(lambda, roots);
            reach.made(lambda.getImplClass());
            reach.method(lambda.getImplClass(), lambda.getImplMethodName(), lambda.getImplMethodSignature());
        } else {
            roots.put("this", new Root(function, false));
            reach.everyMethod(Type.getInternalName(function.getClass()));
        }
        boolean more = true;
        while (more) {
            for (String field : reach.fields()) {
                roots.computeIfAbsent(field, name -> root(name, reach, loader));
            }
            more = false;
            for (Object object : ObjectGraph.write(roots, MAX_VALUES).objects()) {
                more |= !object.getClass().isHidden() && reach.made(Type.getInternalName(object.getClass()));
            }
        }
        return roots;
    }

    private static void captured(SerializedLambda lambda, Map<String, Root> roots) {
        for (Functions.Argument argument : Functions.arguments(lambda)) {
            boolean primitive = argument.descriptor().length() == 1;
            roots.put(argument.name(), new Root(argument.value(), primitive));
        }
    }

    private static Root root(String field, Reach reach, ClassLoader loader) {
        int dot = field.indexOf('.');
        String owner = field.substring(0, dot);
        String name = field.substring(dot + 1);
        try {
            Field declared =
                    Class.forName(owner.replace('/', '.'), true, loader).getDeclaredField(name);
            declared.setAccessible(true);
            if (!reach.isWritten(owner, name)) {
                return new Root(declared.get(null), declared.getType().isPrimitive());
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            // An initialiser that throws will throw where the function runs.
            return new Root(ObjectGraph.OPAQUE, false);
        }
        return new Root(ObjectGraph.OPAQUE, false);
    }
}
