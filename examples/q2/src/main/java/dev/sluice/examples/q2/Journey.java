package dev.sluice.examples.q2;

/** A trip between two cells of the {@link Grid}. */
public class Journey {
    public String medallion;

    /** Epoch milliseconds. */
    public long dropoffTime;

    public double miles;

    /** Column of the cell where the trip began. */
    public int fromEast;

    /** Row of it. */
    public int fromSouth;

    /** Column of the cell where it ended. */
    public int toEast;

    /** Row of it. */
    public int toSouth;

    public Journey() {}
}
