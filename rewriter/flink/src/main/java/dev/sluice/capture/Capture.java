package dev.sluice.capture;

import dev.sluice.capture.CaptureException.Problem;
import dev.sluice.capture.RecordingEnvironment.Execution;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.configuration.Configuration;

/**
 * Runs a job's {@code main} under an environment that records. The first {@code execute} ends {@code main}: what the job
 * would have done after its end is not done.
 */
public final class Capture {
    /** How long {@code main} may take to come to {@code execute}. */
    public static final Duration DEADLINE = Duration.ofSeconds(60);

    private Capture() {}

    /**
     * Captures the job that this class builds.
     *
     * @param mainClass the class with {@code main}
     * @param args its arguments; <code>${NAME}</code> in them is the variable of the environment
     * @param loader loads the class, and is the context class loader of {@code main}
     * @param outer the settings that the job would find where it runs (of the cluster, the command line): the job's own come
     *     on top
     * @throws CaptureException with one message for the job's author
     */
    public static CapturedJob run(String mainClass, String[] args, ClassLoader loader, Configuration outer)
            throws CaptureException {
        return run(mainClass, args, loader, outer, DEADLINE);
    }

    /** As {@link #run(String, String[], ClassLoader, Configuration)} with a deadline of one's own. */
    public static CapturedJob run(
            String mainClass, String[] args, ClassLoader loader, Configuration outer, Duration deadline)
            throws CaptureException {
        Method main = main(mainClass, loader);
        String[] resolved = CaptureArgs.resolved(args, System.getenv());
        AtomicReference<Execution> first = new AtomicReference<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> thrown.set(call(main, resolved)), "captured main");
        thread.setContextClassLoader(loader);
        thread.setDaemon(true);
        try (ContextEnvironment.Installed installed = ContextEnvironment.install(own -> {
            Configuration merged = new Configuration(outer);
            merged.addAll(own);
            return new RecordingEnvironment(merged, loader, first);
        })) {
            thread.start();
            thread.join(deadline.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CaptureException(Problem.HANGS, "interrupted while main ran", e);
        } catch (ReflectiveOperationException e) {
            throw new CaptureException(Problem.INTERNAL, "this version of Flink is not known: " + e, e);
        }
        Execution execution = first.get();
        if (execution == null) {
            throw thread.isAlive() ? hanging(thread, deadline) : MainFailure.of(thrown.get(), args.length == 0);
        }
        if (execution.again) {
            throw MainFailure.several("main caught what ended it and executed again");
        }
        Optional<String> further = FurtherJobs.after(execution.path);
        if (further.isPresent()) {
            throw MainFailure.several("after " + execution.path.get(0).place() + " it comes to " + further.get());
        }
        return withLoader(
                loader, () -> new CapturedJob(execution.environment, mainClass, List.of(args), execution.jobName));
    }

    private static Throwable call(Method main, String[] args) {
        try {
            main.invoke(null, (Object) args);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException | RuntimeException | Error e) {
            return e;
        }
    }

    private static CaptureException hanging(Thread thread, Duration deadline) {
        StackTraceElement[] stack = thread.getStackTrace();
        thread.interrupt();
        return MainFailure.hangs(stack, deadline);
    }

    private static Method main(String mainClass, ClassLoader loader) throws CaptureException {
        Class<?> type;
        try {
            type = Class.forName(mainClass, false, loader);
        } catch (ClassNotFoundException e) {
            throw new CaptureException(
                    Problem.CLASS_NOT_FOUND, "the class " + mainClass + " is not in the job's jar", e);
        } catch (LinkageError e) {
            throw new CaptureException(Problem.CLASS_NOT_FOUND, "the class " + mainClass + " can't be loaded: " + e, e);
        }
        try {
            Method main = type.getMethod("main", String[].class);
            if (Modifier.isStatic(main.getModifiers())) {
                main.setAccessible(true);
                return main;
            }
        } catch (NoSuchMethodException e) {
            // Said below.
        } catch (LinkageError e) {
            throw MainFailure.of(e, false);
        }
        throw new CaptureException(
                Problem.NO_MAIN_METHOD, "the class " + mainClass + " has no public static void main(String[])");
    }

    private static CapturedJob withLoader(ClassLoader loader, Description description) throws CaptureException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return description.describe();
        } catch (RuntimeException | LinkageError e) {
            throw new CaptureException(Problem.INTERNAL, "the job's graph can't be described: " + e, e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private interface Description {
        CapturedJob describe() throws CaptureException;
    }
}
