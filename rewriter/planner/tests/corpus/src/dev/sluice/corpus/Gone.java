package dev.sluice.corpus;

/** Left out of the jar. */
final class Gone {
    static double twice(double value) {
        return 2 * value;
    }

    private Gone() {}
}
