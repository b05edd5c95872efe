package dev.sluice.progress;

/** The newest older incarnation that numbered an event, and the last seq that it numbered (inclusive). */
public record Previous(long incarnation, long end) {}
