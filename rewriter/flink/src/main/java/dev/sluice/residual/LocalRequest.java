package dev.sluice.residual;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a local run is to do.
 *
 * @param jar the job; null when it is on the class path
 * @param mainClass its class with {@code main}
 * @param args of {@code main}
 * @param plan null for none, which only {@link Mode#UNSPLIT} can do with
 * @param inputs files by what is read from them: a planned input, or a source's id in the graph, its uid or its name
 * @param out folder of what is recorded
 */
record LocalRequest(
        Path jar, String mainClass, List<String> args, Path plan, Mode mode, Map<String, Path> inputs, Path out) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Which part of the job runs. */
    enum Mode {
        /** The whole job; the files have what its sources read. */
        UNSPLIT,
        /** What the residual is; the files of planned inputs have what comes out of their prefixes. */
        SPLIT,
        /** The movable prefixes, up to their boundaries. */
        PREFIX
    }

    /** From a command line; a {@link IllegalArgumentException} names every problem. */
    static LocalRequest parse(String[] words) {
        Map<String, String> options = new LinkedHashMap<>();
        Map<String, Path> inputs = new LinkedHashMap<>();
        List<String> args = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < words.length; i += 2) {
            String word = words[i];
            if (word.equals("--")) {
                args.addAll(List.of(words).subList(i + 1, words.length));
                break;
            } else if (i + 1 == words.length) {
                problems.add(word + " has no value");
            } else if (word.equals("--input")) {
                int equals = words[i + 1].lastIndexOf('=');
                if (equals > 0) {
                    inputs.put(words[i + 1].substring(0, equals), Path.of(words[i + 1].substring(equals + 1)));
                } else {
                    problems.add("--input must have the form NAME=FILE");
                }
            } else if (List.of("--jar", "--main", "--plan", "--mode", "--out").contains(word)) {
                options.put(word.substring(2), words[i + 1]);
            } else {
                problems.add(word + " is unknown");
            }
        }
        return check(options, args, inputs, problems);
    }

    /** From a line of JSON with the fields {@code jar, main, plan, mode, out}, {@code inputs}: an object, {@code args}. */
    static LocalRequest parseJson(String line) {
        JsonNode json;
        try {
            json = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON: " + e.getOriginalMessage(), e);
        }
        Map<String, String> options = new LinkedHashMap<>();
        Map<String, Path> inputs = new LinkedHashMap<>();
        List<String> args = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        json.fields().forEachRemaining(field -> {
            switch (field.getKey()) {
                case "jar", "main", "plan", "mode", "out" -> {
                    if (!field.getValue().isNull()) {
                        options.put(field.getKey(), field.getValue().asText());
                    }
                }
                case "inputs" -> field.getValue()
                        .fields()
                        .forEachRemaining(input -> inputs.put(
                                input.getKey(), Path.of(input.getValue().asText())));
                case "args" -> args.addAll(Plan.texts(field.getValue()));
                default -> problems.add(field.getKey() + " is unknown");
            }
        });
        return check(options, args, inputs, problems);
    }

    private static LocalRequest check(
            Map<String, String> options, List<String> args, Map<String, Path> inputs, List<String> problems) {
        for (String name : List.of("main", "mode", "out")) {
            if (!options.containsKey(name)) {
                problems.add(name + " is missing");
            }
        }
        Mode mode = null;
        for (Mode each : Mode.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(options.get("mode"))) {
                mode = each;
            }
        }
        if (mode == null && options.containsKey("mode")) {
            problems.add("mode must be unsplit, split or prefix");
        }
        if (mode != null && mode != Mode.UNSPLIT && !options.containsKey("plan")) {
            problems.add("mode " + options.get("mode") + " needs a plan");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return new LocalRequest(
                path(options.get("jar")),
                options.get("main"),
                List.copyOf(args),
                path(options.get("plan")),
                mode,
                inputs,
                Path.of(options.get("out")));
    }

    private static Path path(String text) {
        return text == null ? null : Path.of(text);
    }
}
