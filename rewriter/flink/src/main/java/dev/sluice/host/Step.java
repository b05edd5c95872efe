package dev.sluice.host;

/** A function of the chain. */
interface Step extends AutoCloseable {
    /** An event that came without a time. */
    long NO_TIME = Long.MIN_VALUE;

    /** Passes what becomes of an event on to {@code out}. What it throws is the event's death. */
    void run(Object value, long time, Output out) throws Exception;

    /** Ends the function. */
    @Override
    default void close() throws Exception {}
}
