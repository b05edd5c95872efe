package dev.sluice.capture;

/** Why a job was not captured: one message, for the job's author. */
public final class CaptureException extends Exception {
    private static final long serialVersionUID = 1;

    /** What was wrong. */
    public enum Problem {
        /** The jar can't be read. */
        NO_JAR,
        /** Neither the manifest nor the caller names a class with {@code main}. */
        NO_MAIN_CLASS,
        /** The class with {@code main} is not there, or can't be loaded. */
        CLASS_NOT_FOUND,
        /** The class has no {@code public static void main(String[])}. */
        NO_MAIN_METHOD,
        /** {@code main} wants other arguments. */
        ARGUMENTS,
        /** {@code main} threw. */
        THREW,
        /** {@code main} ended the process. */
        EXITED,
        /** {@code main} goes on to a second {@code execute}. */
        SEVERAL_JOBS,
        /** {@code main} builds a local or remote environment of its own. */
        EXPLICIT_ENVIRONMENT,
        /** {@code main} returned and executed nothing. */
        NOT_EXECUTED,
        /** {@code main} did not come to {@code execute} in time. */
        HANGS,
        /** A class of the Table API or its planner is missing. */
        TABLE_API,
        /** The job runs in batch mode, or is of the DataSet API. */
        BATCH,
        /** A class is missing that neither the jar nor this version of Flink has. */
        MISSING_CLASS,
        /** The graph can't be described: a fault of ours or a version of Flink that is not known. */
        INTERNAL
    }

    private final Problem problem;

    /** A problem with its message. */
    public CaptureException(Problem problem, String message) {
        this(problem, message, null);
    }

    /** A problem with its message and what it comes from. */
    public CaptureException(Problem problem, String message, Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    /** What was wrong. */
    public Problem problem() {
        return problem;
    }
}
