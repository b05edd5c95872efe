package dev.example;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.functions.MapFunction;

/** Does what a text says, to itself and to the process; other texts pass. */
public final class Harm implements MapFunction<String, String> {
    private static final Set<String> SEEN = new HashSet<>();

    @Override
    public String map(String value) {
        switch (value.split(" ")[0]) {
            case "exit" -> System.exit(7);
            case "halt" -> Runtime.getRuntime().halt(8);
            case "loop" -> {
                while (true) {
                    Thread.onSpinWait();
                }
            }
            case "memory" -> {
                List<byte[]> hoard = new ArrayList<>();
                while (true) {
                    hoard.add(new byte[1 << 20]);
                }
            }
            case "deep" -> {
                return map(value) + ".";
            }
            case "threads" -> {
                for (int i = 0; i < 20; i++) {
                    Thread stray = new Thread(() -> {
                        throw new IllegalStateException("stray");
                    });
                    stray.start();
                    Thread waiting = new Thread(Harm::waitForever);
                    waiting.setDaemon(false);
                    waiting.start();
                }
            }
            case "throw" -> throw new IllegalArgumentException("no " + value);
            case "once" -> {
                if (SEEN.add(value)) {
                    throw new IllegalStateException("the first time");
                }
            }
            case "print" -> System.out.println("the user's own output");
            case "surrogate" -> {
                return "\ud83d";
            }
            case "null" -> {
                return null;
            }
            default -> {}
        }
        return value;
    }

    private static synchronized void waitForever() {
        try {
            while (true) {
                Harm.class.wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
