package dev.sluice.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.RichFunction;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** Describes the functions of a job: classes, lambdas and method references. */
final class Functions {
    private static final String FLINK = "org.apache.flink.";

    private Functions() {}

    /** A function that goes into the entry of this name, or, with null, into none. */
    static Graph.Function of(Object function, String entry) {
        SerializedLambda lambda = lambda(function);
        String problem = entry == null ? null : problem(function);
        String form = !function.getClass().isHidden() ? "class" : isReference(lambda) ? "method_reference" : "lambda";
        return new Graph.Function(
                className(function),
                form,
                function instanceof RichFunction,
                interfaces(function.getClass()),
                lambda == null ? null : implementation(lambda),
                lambda == null ? captured(function) : captured(lambda),
                null,
                problem == null ? entry : null,
                problem,
                function);
    }

    /** A class's name; that of a lambda is made up anew in each process, so it is the class that it stands in. */
    static String className(Object function) {
        String name = function.getClass().getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda < 0 ? name : name.substring(0, lambda);
    }

    /** A projection of a tuple to these fields. */
    static Graph.Function projection(Object operator, int[] fields) {
        List<Integer> numbers = new ArrayList<>();
        for (int field : fields) {
            numbers.add(field);
        }
        return new Graph.Function(
                operator.getClass().getName(),
                "class",
                false,
                List.of(),
                null,
                List.of(),
                numbers,
                null,
                null,
                operator);
    }

    /** Why an object can't be serialized, or null. */
    static String problem(Object object) {
        try {
            serialize(object);
            return null;
        } catch (IOException | RuntimeException | StackOverflowError e) {
            return e.toString();
        }
    }

    /** An object by Java serialization; equal objects in equal bytes, as far as that goes. */
    static byte[] serialize(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (StableOutput out = new StableOutput(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    /** What a lambda or a method reference is made of; null for an object of an ordinary class. */
    static SerializedLambda lambda(Object function) {
        if (!function.getClass().isSynthetic()) {
            return null;
        }
        try {
            Method replace = function.getClass().getDeclaredMethod("writeReplace");
            replace.setAccessible(true);
            return replace.invoke(function) instanceof SerializedLambda lambda ? lambda : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Compilers give the body of a lambda a name that no one writes. */
    private static boolean isReference(SerializedLambda lambda) {
        return lambda != null && !lambda.getImplMethodName().contains("$");
    }

    private static Graph.Implementation implementation(SerializedLambda lambda) {
        String kind =
                switch (lambda.getImplMethodKind()) {
                    case MethodHandleInfo.REF_invokeStatic -> "static";
                    case MethodHandleInfo.REF_invokeVirtual -> "virtual";
                    case MethodHandleInfo.REF_invokeInterface -> "interface";
                    case MethodHandleInfo.REF_newInvokeSpecial -> "new";
                    default -> "special";
                };
        return new Graph.Implementation(
                lambda.getImplClass(), lambda.getImplMethodName(), lambda.getImplMethodSignature(), kind);
    }

    /** A value that a lambda has in it. */
    record Argument(String name, String descriptor, Object value) {}

    /** The receiver as {@code this} if there is one, then {@code arg0}, .. */
    static List<Argument> arguments(SerializedLambda lambda) {
        List<String> names = new ArrayList<>();
        List<String> types = new ArrayList<>();
        int kind = lambda.getImplMethodKind();
        if (kind != MethodHandleInfo.REF_invokeStatic && kind != MethodHandleInfo.REF_newInvokeSpecial) {
            names.add("this");
            types.add("L" + lambda.getImplClass() + ";");
        }
        for (Type argument : Type.getArgumentTypes(lambda.getImplMethodSignature())) {
            names.add("arg" + (types.size() - (names.contains("this") ? 1 : 0)));
            types.add(argument.getDescriptor());
        }
        List<Argument> arguments = new ArrayList<>();
        for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
            arguments.add(new Argument(names.get(i), types.get(i), lambda.getCapturedArg(i)));
        }
        return arguments;
    }

    private static List<Graph.Captured> captured(SerializedLambda lambda) {
        return arguments(lambda).stream()
                .map(one -> captured(one.name(), one.descriptor(), false, one.value()))
                .toList();
    }

    private static List<Graph.Captured> captured(Object function) {
        List<Graph.Captured> captured = new ArrayList<>();
        for (Field field : Fields.of(function.getClass())) {
            String type = Type.getDescriptor(field.getType());
            boolean isTransient = Modifier.isTransient(field.getModifiers());
            if (isTransient && field.getDeclaringClass().getName().startsWith(FLINK)) {
                continue;
            }
            Object value = Fields.value(field, function);
            boolean readable = value != null || field.trySetAccessible();
            captured.add(
                    readable
                            ? captured(field.getName(), type, isTransient, value)
                            : new Graph.Captured(field.getName(), type, isTransient, null, false));
        }
        return captured;
    }

    private static Graph.Captured captured(String name, String type, boolean isTransient, Object value) {
        Values.Known known = Values.of(value);
        return new Graph.Captured(name, type, isTransient, known.value(), known.known());
    }

    /** Flink's interfaces and classes that a function is one of. */
    private static List<String> interfaces(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            if (owner.getName().startsWith(FLINK)) {
                names.add(owner.getName());
            }
            addInterfaces(owner, names);
        }
        return List.copyOf(names);
    }

    private static void addInterfaces(Class<?> type, Set<String> names) {
        for (Class<?> one : type.getInterfaces()) {
            if (one.getName().startsWith(FLINK)) {
                names.add(one.getName());
            }
            addInterfaces(one, names);
        }
    }
}
