package dev.sluice.capture;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/** The content of {@code graph.json}; {@code docs/graph.md} says what each field means. */
public record Graph(
        int format, String flink, int java, Job job, String digest, List<Node> nodes, List<String> warnings) {
    /** The version of the format. */
    public static final int FORMAT = 1;

    /** What holds for the whole job. */
    public record Job(
            String name,
            String mainClass,
            List<String> args,
            String jarSha256,
            int parallelism,
            long autoWatermarkIntervalMs,
            boolean objectReuse) {}

    /** A node. */
    public record Node(
            int id,
            String name,
            String uid,
            int parallelism,
            boolean parallelismSet,
            int maxParallelism,
            String hash,
            String kind,
            String operator,
            String operatorClass,
            List<Integer> inputs,
            Map<String, Object> output,
            boolean keyed,
            boolean eventTime,
            String partitioning,
            List<SideOutput> sideOutputs,
            Function function,
            Watermarks watermarks,
            Source source,
            String chaining,
            String slotSharingGroup) {}

    /** A side output, by its tag. */
    public record SideOutput(String id, Map<String, Object> type) {}

    /** A function of the user's. {@code object} is the live one. */
    public record Function(
            @JsonProperty("class") String type,
            String form,
            boolean rich,
            List<String> interfaces,
            Implementation implementation,
            List<Captured> captured,
            @JsonInclude(JsonInclude.Include.NON_NULL) List<Integer> fields,
            String serialized,
            String problem,
            @JsonIgnore Object object) {}

    /** The method that a lambda or a method reference calls. */
    public record Implementation(String owner, String name, String descriptor, String kind) {}

    /** A value that a function has in it. */
    public record Captured(
            String name, String type, @JsonProperty("transient") boolean isTransient, Object value, boolean known) {}

    /** How event time is made. {@code timestamps} is a {@link Function}, {@code "record"} or null. */
    public record Watermarks(
            String strategy,
            @JsonProperty("class") String type,
            Long boundMs,
            Long idleMs,
            boolean aligned,
            boolean legacy,
            Object timestamps,
            String serialized,
            String problem,
            @JsonIgnore Object object) {}

    /** A source. */
    public record Source(@JsonProperty("class") String type, boolean bounded, String reads, boolean ownTime) {}
}
