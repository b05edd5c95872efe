package dev.sluice.residual;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * The settings of a residual job: {@code --NAME VALUE} on the command line, and {@code NAME=VALUE} in the file that {@code
 * --config} names; the command line wins. Everything else is in {@code sluice.queries}.
 *
 * @param kafka settings of the Kafka clients: {@code brokers}, and each {@code kafka.NAME} as it stands
 * @param query {@code query}: id of the query
 * @param version {@code version}: of the deployment; null for the one that is deployed
 * @param checkpointDir {@code checkpoint-dir}: path or URI; null for what Flink's and the job's own settings say
 * @param checkpointMs {@code checkpoint-interval-ms}
 * @param restore {@code restore}: {@code none}, {@code latest} (the newest completed one in the folder, if there is one), or
 *     the path of a checkpoint or savepoint
 * @param parallelism {@code parallelism} of what does not set its own; null for what Flink's settings say
 * @param restPort {@code rest-port}: of an embedded Flink's REST interface on the loopback address; 0 for any that is free
 */
record LauncherSettings(
        Map<String, String> kafka,
        String query,
        Integer version,
        String checkpointDir,
        long checkpointMs,
        String restore,
        Integer parallelism,
        int restPort) {
    /** Wants the newest checkpoint. */
    static final String LATEST = "latest";

    /** Wants none. */
    static final String NONE = "none";

    private static final String KAFKA = "kafka.";
    private static final String CONFIG = "config";
    private static final Set<String> NAMES = Set.of(
            "brokers",
            "query",
            "version",
            "checkpoint-dir",
            "checkpoint-interval-ms",
            "restore",
            "parallelism",
            "rest-port");

    /** Checks every setting before it complains of any. */
    static LauncherSettings parse(String... words) throws ExitException {
        Problems problems = new Problems();
        Map<String, String> line = commandLine(words, problems);
        Map<String, String> all = new LinkedHashMap<>();
        if (line.containsKey(CONFIG)) {
            all.putAll(file(Path.of(line.remove(CONFIG)), problems));
        }
        all.putAll(line);
        return of(all, problems);
    }

    private static Map<String, String> commandLine(String[] words, Problems problems) {
        Map<String, String> line = new LinkedHashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            if (!words[i].startsWith("--")) {
                problems.add(words[i], "is no name of a setting, such as --query");
            } else if (i + 1 == words.length) {
                problems.add(words[i], "has no value");
            } else {
                line.put(words[i].substring(2), words[i + 1].strip());
            }
        }
        return line;
    }

    private static Map<String, String> file(Path file, Problems problems) {
        Map<String, String> settings = new LinkedHashMap<>();
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            problems.add(CONFIG, "can't be read: " + e);
        }
        properties
                .stringPropertyNames()
                .forEach(name -> settings.put(name, properties.getProperty(name).strip()));
        return settings;
    }

    private static LauncherSettings of(Map<String, String> all, Problems problems) throws ExitException {
        Map<String, String> kafka = new HashMap<>();
        all.forEach((name, value) -> {
            if (name.startsWith(KAFKA)) {
                kafka.put(name.substring(KAFKA.length()), value);
            } else if (!NAMES.contains(name)) {
                problems.add(name, "is unknown");
            }
        });
        kafka.put("bootstrap.servers", problems.required(all, "brokers"));
        String checkpointDir = all.get("checkpoint-dir");
        String restore = all.getOrDefault("restore", NONE);
        if (restore.equals(LATEST) && checkpointDir == null) {
            problems.add("restore", "is latest, which needs checkpoint-dir");
        }
        LauncherSettings settings = new LauncherSettings(
                kafka,
                problems.required(all, "query"),
                all.containsKey("version") ? (int) problems.number(all, "version", 0, 0, Integer.MAX_VALUE) : null,
                checkpointDir,
                problems.number(all, "checkpoint-interval-ms", 10_000, 10, Long.MAX_VALUE),
                restore,
                all.containsKey("parallelism") ? (int) problems.number(all, "parallelism", 1, 1, 1 << 15) : null,
                (int) problems.number(all, "rest-port", 8082, 0, 65_535));
        problems.check();
        return settings;
    }

    /** Collects what is wrong. */
    private static final class Problems {
        private final List<String> problems = new ArrayList<>();

        void add(String name, String text) {
            problems.add(name + " " + text);
        }

        String required(Map<String, String> all, String name) {
            String value = all.getOrDefault(name, "");
            if (value.isEmpty()) {
                add(name, "is missing");
            }
            return value;
        }

        long number(Map<String, String> all, String name, long otherwise, long lowest, long highest) {
            String text = all.getOrDefault(name, Long.toString(otherwise));
            try {
                long value = Long.parseLong(text);
                if (value >= lowest && value <= highest) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // Reported below, like a number out of range.
            }
            add(name, "must be a whole number from " + lowest + " to " + highest + ", not '" + text + "'");
            return otherwise;
        }

        void check() throws ExitException {
            if (!problems.isEmpty()) {
                throw new ExitException(ExitException.USAGE, "bad settings: " + String.join("; ", problems));
            }
        }
    }
}
