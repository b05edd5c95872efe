package dev.sluice.avro;

/** Bytes are not what their schema says. */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message completes "the bytes are no ...:". */
    public MalformedException(String message) {
        super(message);
    }
}
