package dev.sluice.residual;

/** What to tell people of an exception. */
final class Failures {
    private Failures() {}

    /** The innermost cause. */
    static String root(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }
}
