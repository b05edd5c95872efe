package dev.sluice.kafka;

/** A topic that must exist does not. */
public final class MissingTopicException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The topic's name. */
    public MissingTopicException(String topic) {
        super("topic " + topic + " does not exist: run `sluice init` and `sluice deploy`");
    }
}
