package dev.sluice.residual;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Arguments of a job that name secrets instead of holding them: {@code ${NAME}} stands for an environment variable. */
final class Arguments {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

    private Arguments() {}

    /** The arguments with every variable replaced; an {@link IllegalArgumentException} names those that are not set. */
    static String[] expand(List<String> args, Map<String, String> environment) {
        TreeSet<String> missing = new TreeSet<>();
        List<String> expanded = new ArrayList<>();
        for (String arg : args) {
            expanded.add(VARIABLE.matcher(arg).replaceAll(found -> {
                String value = environment.get(found.group(1));
                if (value == null) {
                    missing.add(found.group(1));
                    return "";
                }
                return Matcher.quoteReplacement(value);
            }));
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(
                    "the job's arguments name environment variables that are not set: " + String.join(", ", missing));
        }
        return expanded.toArray(new String[0]);
    }
}
