package dev.sluice.capture;

import dev.sluice.capture.CaptureException.Problem;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.util.EnvironmentInformation;

/** Says what kept a {@code main} from executing a job. */
final class MainFailure {
    private static final List<String> EXPLICIT = List.of(
            "cannot be used when submitting a program through a client",
            "cannot be instantiated when running in a pre-defined context");
    private static final String FLINK = "org.apache.flink.";
    private static final String TABLE = "org.apache.flink.table.";

    private MainFailure() {}

    /** {@code main} ended without a job: by a throwable, or by itself when it is null. */
    static CaptureException of(Throwable thrown, boolean withoutArgs) {
        if (thrown == null) {
            return new CaptureException(
                    withoutArgs ? Problem.ARGUMENTS : Problem.NOT_EXECUTED,
                    "main returned and executed no job" + (withoutArgs ? "; it was given no arguments" : ""));
        }
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            CaptureException known = known(cause);
            if (known != null) {
                return known;
            }
        }
        boolean flinks = thrown.getClass().getName().startsWith(FLINK);
        boolean none = withoutArgs && !flinks;
        boolean arguments = none
                || thrown instanceof ArrayIndexOutOfBoundsException
                || thrown instanceof NumberFormatException
                || messageOf(thrown).contains("No data for required key");
        return new CaptureException(
                arguments ? Problem.ARGUMENTS : Problem.THREW,
                "main threw " + described(thrown) + placeOf(thrown) + since(thrown)
                        + (none ? "; it was given no arguments" : arguments ? "; are its arguments right?" : ""),
                thrown);
    }

    /** {@code main} was still running at the deadline, here. */
    static CaptureException hangs(StackTraceElement[] stack, Duration deadline) {
        String place = "";
        for (StackTraceElement frame : stack) {
            if (!frame.getClassName().startsWith("java.")
                    && !frame.getClassName().startsWith("jdk.")) {
                place = ", but is at " + frame;
                break;
            }
        }
        return new CaptureException(
                Problem.HANGS, "main did not come to execute within " + deadline.toSeconds() + " s" + place);
    }

    /** {@code main} executes more than one job. */
    static CaptureException several(String how) {
        return new CaptureException(
                Problem.SEVERAL_JOBS, "main executes several jobs, and only one can be deployed: " + how);
    }

    /** What the innermost cause says, if the throwable does not say it itself: wrappers tell little. */
    static String since(Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String cause = messageOf(innermost);
        boolean said =
                innermost == thrown || (!cause.isEmpty() && messageOf(thrown).contains(cause));
        return said ? "" : ", since " + described(innermost);
    }

    private static CaptureException known(Throwable cause) {
        String message = messageOf(cause);
        if (cause instanceof ContextEnvironment.DataSetProgram) {
            return new CaptureException(Problem.BATCH, "the job uses the DataSet API, which is batch", cause);
        }
        if (EXPLICIT.stream().anyMatch(message::contains)) {
            return new CaptureException(
                    Problem.EXPLICIT_ENVIRONMENT,
                    "main builds a local or remote environment of its own" + placeOf(cause)
                            + "; StreamExecutionEnvironment.getExecutionEnvironment() would work here and everywhere",
                    cause);
        }
        if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
            return missing(message.replace('/', '.'), cause);
        }
        if (cause instanceof NoSuchMethodError
                || cause instanceof NoSuchFieldError
                || cause instanceof IncompatibleClassChangeError) {
            return new CaptureException(
                    Problem.MISSING_CLASS,
                    "the job does not fit Flink " + EnvironmentInformation.getVersion() + ": " + described(cause)
                            + placeOf(cause),
                    cause);
        }
        if (cause.getClass().getName().startsWith(TABLE) && message.contains("Could not find any factor")) {
            return table(described(cause), cause);
        }
        return null;
    }

    private static CaptureException missing(String type, Throwable cause) {
        if (type.contains(TABLE)) {
            return table("the class " + type + " is missing", cause);
        }
        if (type.startsWith(FLINK + "api.java.") && type.contains("Environment")) {
            return new CaptureException(Problem.BATCH, "the job uses the DataSet API, which is batch", cause);
        }
        return new CaptureException(
                Problem.MISSING_CLASS,
                "the class " + type + " is neither in the job's jar nor in Flink " + EnvironmentInformation.getVersion()
                        + placeOf(cause)
                        + (type.startsWith(FLINK) ? "; was the job built for another version?" : ""),
                cause);
    }

    private static CaptureException table(String what, Throwable cause) {
        return new CaptureException(
                Problem.TABLE_API,
                "the job uses the Table API, and " + what + ": put Flink's table jars on the class path",
                cause);
    }

    private static String messageOf(Throwable throwable) {
        return throwable.getMessage() == null ? "" : throwable.getMessage();
    }

    private static String described(Throwable throwable) {
        return throwable.toString().strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static String placeOf(Throwable throwable) {
        for (StackTraceElement frame : throwable.getStackTrace()) {
            String owner = frame.getClassName();
            if (!owner.startsWith("java.") && !owner.startsWith("jdk.") && !owner.startsWith(FLINK)) {
                return " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + ":"
                        + frame.getLineNumber() + ")";
            }
        }
        return "";
    }
}
