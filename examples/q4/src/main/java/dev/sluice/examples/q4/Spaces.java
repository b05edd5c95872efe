package dev.sluice.examples.q4;

/** White space as Python sees it, because VADER's words are what Python's split leaves. */
final class Spaces {
    private Spaces() {}

    static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
    }
}
