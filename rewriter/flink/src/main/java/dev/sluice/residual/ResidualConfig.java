package dev.sluice.residual;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * The settings of a residual job, a properties file. A stand-in for the rewriter, which will know all of this itself.
 *
 * @param kafka settings of the Kafka clients: {@code brokers}, and each {@code kafka.NAME} as it stands
 * @param query {@code query}: id of the query
 * @param version {@code version}: of the deployment; null for the one that is deployed
 * @param input {@code input}: name of the input
 * @param type {@code type}: class of the events behind the movable prefix
 * @param method {@code method}: {@code CLASS#METHOD}, public and static, takes {@code (DataStream, String[])}
 * @param args {@code args}: for the method, separated by spaces
 * @param parallelism {@code parallelism}: of the job
 * @param checkpointDir {@code checkpoint.dir}: path or URI; null for no checkpoints
 * @param checkpointMs {@code checkpoint.interval.ms}
 * @param restore {@code restore}: {@code none}, {@code latest} (the newest completed one in the folder, if there is one), or
 *     the path of a checkpoint
 * @param restPort {@code rest.port}: of Flink's REST interface on the loopback address; 0 for any that is free
 */
record ResidualConfig(
        Map<String, String> kafka,
        String query,
        Integer version,
        String input,
        String type,
        String method,
        String[] args,
        int parallelism,
        String checkpointDir,
        long checkpointMs,
        String restore,
        int restPort) {
    private static final String KAFKA = "kafka.";
    private static final Set<String> NAMES = Set.of(
            "brokers",
            "query",
            "version",
            "input",
            "type",
            "method",
            "args",
            "parallelism",
            "checkpoint.dir",
            "checkpoint.interval.ms",
            "restore",
            "rest.port");

    /** Reads a file. */
    static ResidualConfig load(Path file) throws ExitException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new ExitException(ExitException.USAGE, "can't read " + file + ": " + e, e);
        }
        return parse(properties);
    }

    /** Checks every setting before it complains of any. */
    static ResidualConfig parse(Properties properties) throws ExitException {
        Settings settings = new Settings(properties);
        Map<String, String> kafka = new HashMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(KAFKA)) {
                kafka.put(
                        name.substring(KAFKA.length()),
                        properties.getProperty(name).strip());
            } else if (!NAMES.contains(name)) {
                settings.problem(name, "is unknown");
            }
        }
        kafka.put("bootstrap.servers", settings.required("brokers"));
        String method = settings.required("method");
        if (method != null && !method.matches("[^#]+#[^#]+")) {
            settings.problem("method", "must have the form CLASS#METHOD");
        }
        String args = settings.optional("args", "");
        String checkpointDir = settings.optional("checkpoint.dir", null);
        String restore = settings.optional("restore", "none");
        if (restore.equals("latest") && checkpointDir == null) {
            settings.problem("restore", "is latest, which needs checkpoint.dir");
        }
        ResidualConfig config = new ResidualConfig(
                kafka,
                settings.required("query"),
                properties.containsKey("version") ? (int) settings.number("version", 0, 0, Integer.MAX_VALUE) : null,
                settings.required("input"),
                settings.required("type"),
                method,
                args.isEmpty() ? new String[0] : args.split("\\s+"),
                (int) settings.number("parallelism", 1, 1, 1 << 15),
                checkpointDir,
                settings.number("checkpoint.interval.ms", 10_000, 10, Long.MAX_VALUE),
                restore,
                (int) settings.number("rest.port", 8082, 0, 65_535));
        settings.check();
        return config;
    }

    /** Collects problems on the way. */
    private static final class Settings {
        private final Properties properties;
        private final List<String> problems = new ArrayList<>();

        Settings(Properties properties) {
            this.properties = properties;
        }

        void problem(String name, String text) {
            problems.add(name + " " + text);
        }

        String optional(String name, String otherwise) {
            String value = properties.getProperty(name, "").strip();
            return value.isEmpty() ? otherwise : value;
        }

        String required(String name) {
            String value = optional(name, null);
            if (value == null) {
                problem(name, "is missing");
            }
            return value;
        }

        long number(String name, long otherwise, long lowest, long highest) {
            String text = optional(name, Long.toString(otherwise));
            try {
                long value = Long.parseLong(text);
                if (value >= lowest && value <= highest) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // Reported below, like a number out of range.
            }
            problem(name, "must be a whole number from " + lowest + " to " + highest + ", not '" + text + "'");
            return otherwise;
        }

        void check() throws ExitException {
            if (!problems.isEmpty()) {
                throw new ExitException(ExitException.USAGE, "bad settings: " + String.join("; ", problems));
            }
        }
    }
}
