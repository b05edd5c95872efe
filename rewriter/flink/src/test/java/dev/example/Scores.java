package dev.example;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.api.common.functions.RichMapFunction;

/** A function with constants of each form. */
public final class Scores extends RichMapFunction<String, String> {
    private static final long serialVersionUID = 1;

    static final Map<String, Double> WORDS = words();
    static final Pattern SPACE = Pattern.compile("\\s+", Pattern.CASE_INSENSITIVE);
    static final long STARTED_NS = System.nanoTime();
    static final Object UNREAD = new Object();
    static int shift = 7;
    static int written = 1;

    private final double[] weights = {1.5, Double.NaN};
    private final Level level = Level.HIGH;
    private final List<Node> nodes = new ArrayList<>();
    private transient Map<String, String> cache = new HashMap<>();

    /** In a cycle. */
    static final class Node implements java.io.Serializable {
        private static final long serialVersionUID = 1;

        private final char letter = 'x';
        private final Integer boxed = 3;
        Node next = this;
    }

    /** Reached through an object of it only. */
    enum Level {
        LOW(1),
        HIGH(2) {
            @Override
            int value() {
                return Broken.VALUE;
            }
        };

        private final int points;

        Level(int points) {
            this.points = points;
        }

        int value() {
            return points;
        }
    }

    /** Its initialiser throws. */
    static final class Broken {
        static final int VALUE = Integer.parseInt("none");

        private Broken() {}
    }

    /** Makes a cycle. */
    public Scores() {
        nodes.add(new Node());
    }

    private static Map<String, Double> words() {
        Map<String, Double> words = new HashMap<>();
        words.put("good", 1.9);
        words.put("bad", -2.5);
        return words;
    }

    @Override
    public String map(String text) {
        written += 1;
        double score = weights[0] * level.value() + shift + written + nodes.get(0).letter + nodes.get(0).boxed;
        for (String word : SPACE.split(text)) {
            score += WORDS.getOrDefault(word, 0.0);
        }
        return cache + " " + score + STARTED_NS + Strange.of(text);
    }

    /** A helper. */
    static final class Strange {
        private static final String HALF = "\ud800";

        private Strange() {}

        static String of(String text) {
            return text + name();
        }

        private static String name() {
            return Names.NAMES.get(0);
        }
    }

    /** Read by the helper of a helper. */
    static final class Names {
        static final List<String> NAMES = List.of("a\u0001\u00e9", Strange.HALF);

        private Names() {}
    }
}
