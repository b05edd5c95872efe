package dev.sluice.codec;

/** A value can't travel, though its type can. The message says where in it and why. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param where path to the part of the value that is refused */
    public RefusedException(String where, String why) {
        super(where + ": " + why);
    }

    /** Refused while it was written. */
    RefusedException(String where, RuntimeException why) {
        super(where + ": " + why.getMessage(), why);
    }
}
