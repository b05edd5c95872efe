package dev.sluice.capture;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Notices that a program ends the process. A security manager could forbid it, but Java has given those up; so this says
 * where it happens, while the process goes down.
 */
final class ExitWatch {
    private final Thread hook;

    /** Tells the place of an exit, while the process ends; an end by a signal is none. */
    ExitWatch(Consumer<String> exiting) {
        this.hook = new Thread(() -> place().ifPresent(exiting), "exit watch");
    }

    /** Watches from now on. */
    void start() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The thread that called {@code exit} waits in it for the hooks. */
    private static Optional<String> place() {
        return Thread.getAllStackTraces().values().stream()
                .map(ExitWatch::caller)
                .filter(Objects::nonNull)
                .findFirst();
    }

    private static String caller(StackTraceElement[] stack) {
        boolean exits = Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals("java.lang.Runtime")
                        && frame.getMethodName().equals("exit"));
        if (!exits) {
            return null;
        }
        return Arrays.stream(stack)
                .filter(frame -> !frame.getClassName().startsWith("java."))
                .findFirst()
                .map(frame -> " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName()
                        + ":" + frame.getLineNumber() + ")")
                .orElse("");
    }
}
