package dev.sluice.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which calls of the program led to {@code execute}, innermost first. */
final class CallPath {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private static final Set<Class<?>> OURS = Set.of(CallPath.class, Capture.class, RecordingEnvironment.class);

    private CallPath() {}

    /** One call: the place in a method of the program. */
    record Call(Class<?> type, String method, String descriptor, int byteCodeIndex, StackTraceElement place) {}

    /** The program's calls on this thread's stack; those of Flink, of Java and of this package are left out. */
    static List<Call> ofCaller() {
        List<Call> path = new ArrayList<>();
        WALKER.forEach(frame -> {
            if (isProgram(frame.getDeclaringClass())) {
                path.add(new Call(
                        frame.getDeclaringClass(),
                        frame.getMethodName(),
                        frame.getDescriptor(),
                        frame.getByteCodeIndex(),
                        frame.toStackTraceElement()));
            }
        });
        return path;
    }

    /** Whether a class is neither of Java nor of Flink nor of the capture's own on that stack. */
    static boolean isProgram(Class<?> type) {
        String name = type.getName();
        return !name.startsWith("java.")
                && !name.startsWith("jdk.")
                && !name.startsWith("sun.")
                && !name.startsWith("org.apache.flink.")
                && !OURS.contains(type);
    }
}
