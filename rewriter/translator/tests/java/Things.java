import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Objects: each method takes a text and gives one; the JVM says what is right. */
final class Things {
    private Things() {}

    static class Point {
        int x;
        protected long y = 3;
        String name;

        Point(int x, String name) {
            this.x = x;
            this.name = name;
        }

        int weight() {
            return x + (int) y;
        }

        Point moved(int by) {
            Point p = new Point(x + by, name);
            p.y = y * 2;
            return p;
        }
    }

    static class Named extends Point {
        private final String extra;

        Named(int x, String name, String extra) {
            super(x, name);
            this.extra = extra;
        }

        @Override
        int weight() {
            return super.weight() * 10 + extra.length();
        }
    }

    interface Shape {
        double area();

        default String shown() {
            return "[" + area() + "]";
        }
    }

    record Square(double side) implements Shape {
        Square {
            if (side < 0) {
                throw new IllegalArgumentException("side");
            }
        }

        @Override
        public double area() {
            return side * side;
        }
    }

    interface Step {
        int apply(int value);
    }

    static String fields(String in) {
        Point p = new Point(in.length(), in);
        p.x += 5;
        p.y--;
        return p.name + p.x + p.y + p.weight();
    }

    static String aliases(String in) {
        Point p = new Point(1, in);
        Point q = p;
        q.x = 7;
        Point r = in.isEmpty() ? p : new Point(2, "r");
        r.x++;
        return p.x + " " + q.x + " " + r.x + (p == q) + (p == r);
    }

    static String swaps(String in) {
        Point p = new Point(1, "p");
        Point q = new Point(2, "q");
        for (int i = 0; i < in.length(); i++) {
            Point t = p;
            p = q;
            q = t;
            p.x += i;
        }
        return p.name + p.x + q.name + q.x;
    }

    static String chain(String in) {
        Point p = new Point(in.length(), in);
        for (int i = 0; i < 4; i++) {
            p = p.moved(i);
        }
        return p.x + "/" + p.y;
    }

    static String maybe(String in) {
        Point p = null;
        if (in.length() > 2) {
            p = new Point(in.length(), in);
        }
        if (p != null && p.x > 4) {
            p.name = "big";
        }
        return p == null ? "none" : p.name + p.x;
    }

    static String missing(String in) {
        Point p = in.length() > 2 ? new Point(1, in) : null;
        return p.name;
    }

    static String overridden(String in) {
        Point p = new Named(in.length(), "n", in);
        return "" + p.weight() + p.name;
    }

    static String shapes(String in) {
        Shape shape = new Square(in.length() - 2);
        return shape.shown();
    }

    static String patterns(String in) {
        Object o = in.length() > 3 ? in : Integer.valueOf(in.length());
        if (o instanceof String s) {
            return "s" + s.length();
        }
        if (o instanceof Integer i && i > 1) {
            return "i" + (i + 1);
        }
        return "o";
    }

    static String list(String in) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < in.length(); i++) {
            points.add(new Point(in.charAt(i), "p" + i));
        }
        int sum = 0;
        for (Point p : points) {
            p.x++;
            sum += p.weight();
        }
        return points.size() + " " + sum + (points.isEmpty() ? "" : points.get(0).name + points.get(0).x);
    }

    static String counts(String in) {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : in.split(" ")) {
            Integer known = counts.get(word);
            counts.put(word, known == null ? 1 : known + 1);
        }
        StringBuilder out = new StringBuilder();
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            out.append(entry.getKey()).append('=').append(entry.getValue()).append(';');
        }
        return out.toString();
    }

    static String arrays(String in) {
        int[] counts = new int[26];
        for (char c : in.toCharArray()) {
            if (c >= 'a' && c <= 'z') {
                counts[c - 'a']++;
            }
        }
        int best = 0;
        for (int i = 1; i < counts.length; i++) {
            if (counts[i] > counts[best]) {
                best = i;
            }
        }
        double[] d = {1.5, 2.5, in.length()};
        long[] l = {1, 2, 3};
        String[] s = {"a", in, null};
        return (char) ('a' + best) + "" + counts[best] + d[2] + l[1] + s[1] + s[2] + s.length;
    }

    static String beyond(String in) {
        int[] a = new int[3];
        try {
            a[in.length()] = 4;
            return "in" + a[in.length()];
        } catch (ArrayIndexOutOfBoundsException e) {
            return "out";
        }
    }

    static String lambdas(String in) {
        int base = in.length();
        Step plus = v -> v + base;
        Step twice = v -> plus.apply(plus.apply(v));
        Step absolute = Math::abs;
        return plus.apply(1) + " " + twice.apply(1) + " " + absolute.apply(-base);
    }

    static String function(String in) {
        java.util.function.Function<String, Integer> length = String::length;
        java.util.function.BiFunction<Integer, Integer, Integer> add = (a, b) -> a + b;
        java.util.function.Supplier<String> text = () -> in + "!";
        java.util.function.Predicate<String> empty = String::isEmpty;
        java.util.function.Function<Integer, Step> maker = n -> v -> v * n;
        return length.apply(in) + add.apply(2, 3) + text.get() + empty.test(in) + maker.apply(4).apply(5);
    }

    static String resources(String in) {
        StringBuilder log = new StringBuilder();
        try (Guard guard = new Guard(log)) {
            log.append(in.charAt(1));
            guard.use();
        } catch (StringIndexOutOfBoundsException e) {
            log.append("short");
        }
        return log.toString();
    }

    static final class Guard implements AutoCloseable {
        private final StringBuilder log;

        Guard(StringBuilder log) {
            this.log = log;
        }

        void use() {
            log.append("u");
        }

        @Override
        public void close() {
            log.append("closed");
        }
    }

    static String generic(String in) {
        Pair<String, Integer> pair = new Pair<>(in, in.length());
        Pair<Integer, String> turned = pair.turned();
        return turned.first + turned.second + (pair.second + 1);
    }

    static final class Pair<A, B> {
        final A first;
        final B second;

        Pair(A first, B second) {
            this.first = first;
            this.second = second;
        }

        Pair<B, A> turned() {
            return new Pair<>(second, first);
        }
    }

    static String inner(String in) {
        Outer outer = new Outer(in);
        return outer.new Inner().shown();
    }

    static final class Outer {
        private final String text;

        Outer(String text) {
            this.text = text;
        }

        final class Inner {
            String shown() {
                return "<" + text + ">";
            }
        }
    }

    static String anonymous(String in) {
        Shape shape = new Shape() {
            private final int scale = 3;

            @Override
            public double area() {
                return in.length() * scale;
            }
        };
        return shape.shown();
    }

    static String varargs(String in) {
        return joined(in, "a", "b") + joined();
    }

    private static String joined(String... parts) {
        String out = "";
        for (String part : parts) {
            out += part + ";";
        }
        return out;
    }

    static final class Shown {
        private final String text;

        Shown(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            if (text.isEmpty()) {
                return "empty";
            }
            return "{" + text + "}";
        }
    }

    static String texts(String in) {
        Shown shown = new Shown(in);
        StringBuilder out = new StringBuilder();
        out.append(shown).append(String.valueOf(new Square(in.length())));
        return out + "/" + shown + new Shown("x") + in.length();
    }

    static String polymorphic(String in) {
        List<Point> points = new ArrayList<>();
        points.add(new Point(1, "p"));
        points.add(new Named(2, "n", in));
        if (in.length() > 3) {
            points.remove(0);
        }
        int sum = 0;
        for (Point p : points) {
            sum += p.weight();
        }
        return "" + sum;
    }
}
