package dev.sluice.capture;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Handle;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.AbstractInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.ClassNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.FieldInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.FieldNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.MethodInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.MethodNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.TypeInsnNode;

/**
 * What a function's code can come to, among the user's own classes: the static fields that it reads. A virtual call comes to
 * every method of that name in a class of which there can be an object.
 */
final class Reach {
    private static final int MAX_METHODS = 20_000;
    /** Code that is known by what it does, not by its class files. */
    private static final List<String> LIBRARIES = List.of(
            "java/",
            "javax/",
            "jdk/",
            "sun/",
            "org/apache/flink/",
            "org/apache/kafka/",
            "org/apache/log4j/",
            "org/apache/logging/",
            "org/slf4j/",
            "ch/qos/logback/",
            "com/fasterxml/jackson/",
            "com/google/gson/",
            "com/google/common/",
            "org/joda/time/",
            "scala/",
            "kotlin/");

    private final ClassLoader loader;
    private final Map<String, ClassNode> classes = new HashMap<>();
    private final Set<String> made = new LinkedHashSet<>();
    private final Set<String> virtual = new LinkedHashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final Set<String> fields = new TreeSet<>();
    private final Deque<MethodNode> open = new ArrayDeque<>();

    Reach(ClassLoader loader) {
        this.loader = loader;
    }

    /** Whether a class, by its internal name, is a library's. */
    static boolean isLibrary(String type) {
        return LIBRARIES.stream().anyMatch(type::startsWith);
    }

    /** The code has an object of this class, so its methods can be called. Whether that was new. */
    boolean made(String type) {
        if (isLibrary(type) || !made.add(type)) {
            return false;
        }
        for (String called : List.copyOf(virtual)) {
            find(type, called);
        }
        return true;
    }

    /** Flink calls any method of this class and of its super classes. */
    void everyMethod(String type) {
        made(type);
        for (ClassNode node = read(type); node != null; node = read(node.superName)) {
            for (MethodNode method : node.methods) {
                if (!method.name.startsWith("<")) {
                    add(node, method);
                }
            }
        }
    }

    /** This method is called. */
    void method(String owner, String name, String descriptor) {
        virtual(owner, name + descriptor);
    }

    /** Follows the code; then the static fields that it reads, as {@code pkg/Class.NAME} by the class that declares them. */
    Set<String> fields() {
        while (!open.isEmpty() && seen.size() < MAX_METHODS) {
            follow(open.pop());
        }
        return fields;
    }

    private void follow(MethodNode method) {
        for (AbstractInsnNode at : method.instructions) {
            if (at instanceof FieldInsnNode field && field.getOpcode() == Opcodes.GETSTATIC) {
                field(field.owner, field.name);
            } else if (at instanceof TypeInsnNode type && type.getOpcode() == Opcodes.NEW) {
                made(type.desc);
            } else if (at instanceof MethodInsnNode call) {
                called(call.getOpcode(), call.owner, call.name + call.desc);
            } else if (at instanceof InvokeDynamicInsnNode dynamic) {
                for (Object argument : dynamic.bsmArgs) {
                    if (argument instanceof Handle handle) {
                        made(handle.getOwner());
                        virtual(handle.getOwner(), handle.getName() + handle.getDesc());
                    }
                }
            }
        }
    }

    private void called(int opcode, String owner, String signature) {
        if (opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL) {
            find(owner, signature);
        } else {
            virtual(owner, signature);
        }
    }

    private void virtual(String owner, String signature) {
        find(owner, signature);
        if (virtual.add(signature)) {
            for (String type : List.copyOf(made)) {
                find(type, signature);
            }
        }
    }

    /** The method that a call on an object of this class comes to. */
    private void find(String type, String signature) {
        Deque<String> owners = new ArrayDeque<>(List.of(type));
        Set<String> looked = new HashSet<>();
        while (!owners.isEmpty()) {
            String owner = owners.pop();
            ClassNode node = looked.add(owner) ? read(owner) : null;
            if (node == null) {
                continue;
            }
            for (MethodNode method : node.methods) {
                if ((method.name + method.desc).equals(signature)) {
                    add(node, method);
                    return;
                }
            }
            owners.addAll(node.interfaces);
            if (node.superName != null) {
                owners.push(node.superName);
            }
        }
    }

    private void add(ClassNode owner, MethodNode method) {
        if (seen.add(owner.name + "." + method.name + method.desc)) {
            open.push(method);
        }
    }

    private void field(String type, String name) {
        List<String> owners = new ArrayList<>(List.of(type));
        for (int i = 0; i < owners.size(); i++) {
            ClassNode node = read(owners.get(i));
            if (node == null) {
                continue;
            }
            for (FieldNode field : node.fields) {
                if (field.name.equals(name)) {
                    fields.add(node.name + "." + name);
                    return;
                }
            }
            owners.addAll(node.interfaces);
            if (node.superName != null) {
                owners.add(node.superName);
            }
        }
    }

    /** A class of the user's; null for others. */
    private ClassNode read(String type) {
        if (type == null || isLibrary(type)) {
            return null;
        }
        return classes.computeIfAbsent(type, name -> {
            try (InputStream bytes = loader.getResourceAsStream(name + ".class")) {
                if (bytes == null) {
                    return null;
                }
                ClassNode node = new ClassNode();
                new ClassReader(bytes.readAllBytes()).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                return node;
            } catch (IOException | RuntimeException e) {
                return null;
            }
        });
    }

    /** Whether a class that the code comes to writes this static field, but for the initialiser of its own class. */
    boolean isWritten(String owner, String name) {
        return classes.values().stream().filter(Objects::nonNull).anyMatch(node -> node.methods.stream()
                .filter(method -> !(method.name.equals("<clinit>") && node.name.equals(owner)))
                .anyMatch(method -> writes(method, owner, name)));
    }

    private static boolean writes(MethodNode method, String owner, String name) {
        for (AbstractInsnNode at : method.instructions) {
            if (at instanceof FieldInsnNode field
                    && field.getOpcode() == Opcodes.PUTSTATIC
                    && field.owner.equals(owner)
                    && field.name.equals(name)) {
                return true;
            }
        }
        return false;
    }
}
