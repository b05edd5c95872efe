package dev.sluice.capture;

import dev.sluice.capture.CaptureException.Problem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command line of {@link CaptureMain}. {@code main} is null where the jar's manifest names the class. */
record CaptureArgs(Path jar, String main, Path out, Duration deadline, String[] args) {
    static final String USAGE =
            "usage: CaptureMain --jar JOB.JAR [--main CLASS] --out CAPTURE.ZIP [--deadline-s N] [-- ARGUMENT ...]";

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

    /** Reads a command line; an {@link IllegalArgumentException} says what is wrong with it. */
    static CaptureArgs parse(String[] line) {
        Path jar = null;
        String main = null;
        Path out = null;
        Duration deadline = Capture.DEADLINE;
        String[] args = {};
        for (int i = 0; i < line.length; i += 2) {
            if (line[i].equals("--")) {
                args = Arrays.copyOfRange(line, i + 1, line.length);
                break;
            }
            if (i + 1 == line.length) {
                throw new IllegalArgumentException(line[i] + " has no value; " + USAGE);
            }
            String value = line[i + 1];
            switch (line[i]) {
                case "--jar" -> jar = Path.of(value);
                case "--main" -> main = value;
                case "--out" -> out = Path.of(value);
                case "--deadline-s" -> deadline = seconds(value);
                default -> throw new IllegalArgumentException("unknown " + line[i] + "; " + USAGE);
            }
        }
        if (jar == null || out == null) {
            throw new IllegalArgumentException((jar == null ? "--jar" : "--out") + " is missing; " + USAGE);
        }
        return new CaptureArgs(jar, main, out, deadline, args);
    }

    private static Duration seconds(String value) {
        try {
            long seconds = Long.parseLong(value);
            if (seconds > 0) {
                return Duration.ofSeconds(seconds);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException("--deadline-s is " + value + ", which is no number of seconds above 0");
    }

    /** The arguments for {@code main}: <code>${NAME}</code> is the variable of the environment, so that plans hold no secrets. */
    static String[] resolved(String[] args, Map<String, String> environment) throws CaptureException {
        String[] resolved = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            StringBuilder whole = new StringBuilder();
            Matcher variable = VARIABLE.matcher(args[i]);
            while (variable.find()) {
                String value = environment.get(variable.group(1));
                if (value == null) {
                    throw new CaptureException(
                            Problem.ARGUMENTS,
                            "the argument " + args[i] + " names a variable that the environment does not have");
                }
                variable.appendReplacement(whole, Matcher.quoteReplacement(value));
            }
            resolved[i] = variable.appendTail(whole).toString();
        }
        return resolved;
    }
}
