package dev.sluice.capture;

import dev.sluice.capture.CaptureException.Problem;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.ProgramInvocationException;
import org.apache.flink.configuration.Configuration;

/**
 * Captures the job of a jar into a file. What the job's {@code main} prints goes to stderr; so does, last, one line that says
 * what was captured or why nothing was.
 */
public final class CaptureMain {
    private static final int USAGE = 64;
    private static final int INTERNAL = 70;

    private CaptureMain() {}

    /** See {@link CaptureArgs#USAGE}. The exit code is 0, 64 for a fault of the job or the command line, or 70. */
    public static void main(String[] line) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        System.setOut(out);
        System.setErr(out);
        int code = 0;
        try {
            CaptureArgs args = CaptureArgs.parse(line);
            new ExitWatch(place -> end(USAGE, "main ended the process" + place + " before it executed a job")).start();
            capture(args);
        } catch (IllegalArgumentException e) {
            code = USAGE;
            say(e.getMessage());
        } catch (CaptureException e) {
            code = USAGE;
            if (e.problem() == Problem.INTERNAL) {
                code = INTERNAL;
                e.printStackTrace();
            }
            say(e.getMessage());
        } catch (IOException | RuntimeException | Error e) {
            code = INTERNAL;
            e.printStackTrace();
            say("unexpected: " + e);
        }
        // Not exit: the job's own hooks and threads are none of ours.
        Runtime.getRuntime().halt(code);
    }

    private static void capture(CaptureArgs args) throws CaptureException, IOException {
        String digest = GraphDigest.sha256(bytes(args.jar()));
        try (PackagedProgram program = program(args)) {
            CapturedJob job = Capture.run(
                    program.getMainClassName(),
                    args.args(),
                    program.getUserCodeClassLoader(),
                    new Configuration(),
                    args.deadline());
            try (PackagedProgram one = program(args);
                    PackagedProgram other = program(args)) {
                byte[] file = CaptureFile.of(job, digest, one.getUserCodeClassLoader(), other.getUserCodeClassLoader());
                Files.write(args.out(), file);
            }
            long ms = System.currentTimeMillis()
                    - ManagementFactory.getRuntimeMXBean().getStartTime();
            say("captured " + job.jobName() + ", " + job.transformations().size() + " nodes, in " + ms + " ms");
        }
    }

    private static byte[] bytes(Path jar) throws CaptureException {
        try {
            return Files.readAllBytes(jar);
        } catch (IOException e) {
            throw new CaptureException(Problem.NO_JAR, "the jar " + jar + " can't be read: " + e, e);
        }
    }

    /** The program as Flink's own client would load it. */
    private static PackagedProgram program(CaptureArgs args) throws CaptureException {
        try {
            return PackagedProgram.newBuilder()
                    .setJarFile(args.jar().toFile())
                    .setEntryPointClassName(args.main())
                    .setArguments(args.args())
                    .build();
        } catch (ProgramInvocationException e) {
            String message = String.valueOf(e.getMessage());
            Problem problem = message.contains("Main-Class")
                    ? Problem.NO_MAIN_CLASS
                    : message.contains("main(String[])")
                            ? Problem.NO_MAIN_METHOD
                            : message.contains("class") ? Problem.CLASS_NOT_FOUND : Problem.NO_JAR;
            String cause = e.getCause() == null ? "" : " (" + e.getCause() + ")";
            throw new CaptureException(problem, message + cause, e);
        } catch (RuntimeException e) {
            if (e.getCause() instanceof LinkageError missing) {
                throw MainFailure.of(missing, false);
            }
            throw e;
        }
    }

    private static void end(int code, String message) {
        say(message);
        Runtime.getRuntime().halt(code);
    }

    private static void say(String message) {
        System.err.println("sluice capture: " + message);
        System.err.flush();
    }
}
