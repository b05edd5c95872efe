package dev.sluice.examples.q4;

/** A post with what its text says. */
public class ScoredPost {
    public long id;

    /** Epoch milliseconds. */
    public long time;

    public String text;

    /** From -10,000 (all bad) to 10,000. */
    public int score;

    public ScoredPost() {}
}
