package dev.sluice.residual;

/** Ends the process with a message for people and an exit code. */
final class ExitException extends Exception {
    /** Bad configuration or usage. */
    static final int USAGE = 64;

    /** A needed service is unreachable. */
    static final int UNAVAILABLE = 69;

    /** Anything else. */
    static final int INTERNAL = 70;

    private static final long serialVersionUID = 1;

    private final int code;

    ExitException(int code, String message) {
        super(message);
        this.code = code;
    }

    ExitException(int code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The exit code. */
    int code() {
        return code;
    }
}
