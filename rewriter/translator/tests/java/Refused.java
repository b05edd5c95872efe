import java.util.ArrayList;
import java.util.List;

/** What is not translated: each method's name begins with the kind of the reason. */
final class Refused {
    private static int calls;

    private Refused() {}

    static String state_count(String in) {
        calls = in.length();
        return in;
    }

    static String recursion_direct(String in) {
        return in.isEmpty() ? "" : recursion_direct(in.substring(1)) + in.charAt(0);
    }

    static String identity_texts(String in) {
        return in == "a" ? "same" : "other";
    }

    static String identity_text(String in) {
        return "" + new Object[] {in}.length + new Refused();
    }

    static String unsupported_lock(String in) {
        synchronized (in) {
            return in;
        }
    }

    static String library_clock(String in) {
        return in + System.nanoTime();
    }

    static String constant_static(String in) {
        return in + calls;
    }

    static String unsupported_lambda(String in) {
        List<Runnable> runs = new ArrayList<>();
        runs.add(() -> {});
        return in + runs.size();
    }
}
