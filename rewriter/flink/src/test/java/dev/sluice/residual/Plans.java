package dev.sluice.residual;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.stream.Collectors;

/** Plans for tests, in JSON. */
final class Plans {
    private Plans() {}

    /** An undeployed plan of these inputs. */
    static String json(String... inputs) {
        return "{\"query\":\"q\",\"version\":2,\"inputs\":[" + String.join(",", inputs) + "]}";
    }

    /** The same with a job. */
    static String json(Class<?> main, String digest, List<String> args, String... inputs) {
        String words = args.stream().map(arg -> '"' + arg + '"').collect(Collectors.joining(","));
        String job = "\"job\":{\"main_class\":\"" + main.getName() + "\",\"args\":[" + words
                + "],\"flink\":\"2.2.1\",\"graph_digest\":\"" + digest + "\"},";
        return "{" + job + json(inputs).substring(1);
    }

    /** An input with one operator. */
    static String input(String name, String lastType, int source, List<Integer> nodes, int boundary) {
        return "{\"name\":\"" + name + "\",\"partitions\":1,\"types\":[\"\\\"string\\\"\","
                + JsonNodeFactory.instance.textNode(lastType) + "],\"operators\":[{\"name\":\"v\",\"engine\":\"jvm\"}],"
                + "\"prefix\":{\"source\":" + source + ",\"nodes\":" + nodes + ",\"boundary\":" + boundary + "}}";
    }
}
