package dev.sluice.capture;

import dev.sluice.capture.CallPath.Call;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.AbstractInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.JumpInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.LabelNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.LineNumberNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.MethodInsnNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.MethodNode;
import org.apache.flink.shaded.asm9.org.objectweb.asm.tree.TableSwitchInsnNode;

/**
 * Whether a program would go on to another {@code execute}. The first one ends its {@code main} here, so the question is
 * put to its bytecode: from each call that led to {@code execute}, does the ordinary flow of that method come to another
 * such call?
 */
final class FurtherJobs {
    private static final int API = Opcodes.ASM9;
    private static final Set<String> EXECUTE = Set.of("execute", "executeAsync", "executeAndCollect");
    private static final String STREAMS = "org/apache/flink/streaming/api/";

    private FurtherJobs() {}

    /** The place of another {@code execute} behind this path of calls. */
    static Optional<String> after(List<Call> path) {
        Predicate<MethodInsnNode> another = call -> EXECUTE.contains(call.name) && call.owner.startsWith(STREAMS);
        for (Call call : path) {
            Predicate<MethodInsnNode> sought = another;
            Optional<String> found = Code.of(call).flatMap(code -> code.reaches(sought));
            if (found.isPresent()) {
                return found;
            }
            another = another.or(next -> next.name.equals(call.method())
                    && next.desc.equals(call.descriptor())
                    && next.owner.equals(call.type().getName().replace('.', '/')));
        }
        return Optional.empty();
    }

    /** The instructions of a method that is being called. */
    private record Code(String file, MethodNode method, AbstractInsnNode call) {
        static Optional<Code> of(Call call) {
            String resource = call.type().getName().replace('.', '/') + ".class";
            ClassLoader loader = call.type().getClassLoader();
            if (loader == null) {
                return Optional.empty();
            }
            try (InputStream bytes = loader.getResourceAsStream(resource)) {
                if (bytes == null) {
                    return Optional.empty();
                }
                Reader reader = new Reader(bytes.readAllBytes(), call);
                return reader.found().map(node -> new Code(call.place().getFileName(), reader.method, node));
            } catch (IOException | RuntimeException e) {
                // A class file that can't be read, or is newer than the reader: nothing is known.
                return Optional.empty();
            }
        }

        Optional<String> reaches(Predicate<MethodInsnNode> sought) {
            Set<AbstractInsnNode> seen = new HashSet<>();
            Deque<AbstractInsnNode> open = new ArrayDeque<>();
            follow(call.getNext(), open);
            while (!open.isEmpty()) {
                AbstractInsnNode next = open.pop();
                if (!seen.add(next)) {
                    continue;
                }
                if (next instanceof MethodInsnNode invocation && sought.test(invocation)) {
                    return Optional.of(invocation.name + " (" + file + ":" + line(next) + ")");
                }
                successors(next, open);
            }
            return Optional.empty();
        }

        private static void successors(AbstractInsnNode node, Deque<AbstractInsnNode> open) {
            if (node instanceof JumpInsnNode jump) {
                open.push(jump.label);
            } else if (node instanceof TableSwitchInsnNode table) {
                table.labels.forEach(open::push);
                open.push(table.dflt);
                return;
            } else if (node instanceof LookupSwitchInsnNode lookup) {
                lookup.labels.forEach(open::push);
                open.push(lookup.dflt);
                return;
            }
            int opcode = node.getOpcode();
            boolean ends = opcode == Opcodes.GOTO
                    || opcode == Opcodes.ATHROW
                    || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN);
            if (!ends) {
                follow(node.getNext(), open);
            }
        }

        private static void follow(AbstractInsnNode next, Deque<AbstractInsnNode> open) {
            if (next != null) {
                open.push(next);
            }
        }

        private static int line(AbstractInsnNode node) {
            AbstractInsnNode before = node;
            while (before != null && !(before instanceof LineNumberNode)) {
                before = before.getPrevious();
            }
            return before == null ? -1 : ((LineNumberNode) before).line;
        }
    }

    /** Reads one method, and finds the instruction at a byte code index. */
    private static final class Reader extends ClassReader {
        private final Call call;
        private final Map<Integer, Integer> sizeAtOffset = new HashMap<>();
        private MethodNode method;
        private boolean reading;

        Reader(byte[] bytes, Call call) {
            super(bytes);
            this.call = call;
            accept(
                    new ClassVisitor(API) {
                        @Override
                        public MethodVisitor visitMethod(
                                int access, String name, String descriptor, String signature, String[] exceptions) {
                            reading = name.equals(call.method()) && descriptor.equals(call.descriptor());
                            if (!reading) {
                                return null;
                            }
                            method = new MethodNode(API, access, name, descriptor, signature, exceptions);
                            return method;
                        }
                    },
                    SKIP_FRAMES);
        }

        @Override
        protected void readBytecodeInstructionOffset(int offset) {
            if (reading) {
                sizeAtOffset.put(offset, method.instructions.size());
            }
        }

        Optional<AbstractInsnNode> found() {
            Integer size = sizeAtOffset.get(call.byteCodeIndex());
            if (method == null || size == null) {
                return Optional.empty();
            }
            AbstractInsnNode node = method.instructions.get(size);
            while (node != null && (node instanceof LabelNode || node.getOpcode() < 0)) {
                node = node.getNext();
            }
            return Optional.ofNullable(node);
        }
    }
}
