package dev.sluice.capture;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job as its {@code main} built it. Nodes have the dense ids of {@code graph.json}: from 1, in the order in which the
 * transformations were made.
 */
public final class CapturedJob {
    private final StreamExecutionEnvironment environment;
    private final String mainClass;
    private final List<String> args;
    private final String jobName;
    private final List<Transformation<?>> transformations;
    private final Map<Integer, Integer> ids = new TreeMap<>();
    private final Graph graph;

    CapturedJob(StreamExecutionEnvironment environment, String mainClass, List<String> args, String jobName)
            throws CaptureException {
        this.environment = environment;
        this.mainClass = mainClass;
        this.args = List.copyOf(args);
        this.jobName = jobName;
        this.transformations = reachable(environment.getTransformations());
        for (int i = 0; i < transformations.size(); i++) {
            ids.put(transformations.get(i).getId(), i + 1);
        }
        this.graph = GraphReader.read(this);
    }

    /**
     * The environment with the job's transformations and settings. Its {@code execute} does not execute; give what its
     * {@code getStreamGraph(false)} returns to the process's own environment.
     */
    public StreamExecutionEnvironment environment() {
        return environment;
    }

    /** All nodes: those that the environment lists and all that they read. The first has id 1. */
    public List<Transformation<?>> transformations() {
        return transformations;
    }

    /** A node by its dense id. */
    public Transformation<?> transformation(int id) {
        return transformations.get(id - 1);
    }

    /** The dense id of a node. */
    public int id(Transformation<?> transformation) {
        Integer id = ids.get(transformation.getId());
        if (id == null) {
            throw new IllegalArgumentException(transformation + " is no node of this job");
        }
        return id;
    }

    /** The dense ids by {@link Transformation#getId()}. */
    public Map<Integer, Integer> denseIds() {
        return Collections.unmodifiableMap(ids);
    }

    /** The name given to {@code execute}, or Flink's default. */
    public String jobName() {
        return jobName;
    }

    /** The class whose {@code main} ran. */
    public String mainClass() {
        return mainClass;
    }

    /** Its arguments. */
    public List<String> args() {
        return args;
    }

    /** The job's description, from before anything was cut. */
    public Graph graph() {
        return graph;
    }

    private static List<Transformation<?>> reachable(List<Transformation<?>> listed) {
        Set<Transformation<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Transformation<?>> open = new ArrayDeque<>(listed);
        while (!open.isEmpty()) {
            Transformation<?> next = open.pop();
            if (seen.add(next)) {
                open.addAll(next.getInputs());
            }
        }
        return seen.stream()
                .sorted(Comparator.comparingInt(Transformation::getId))
                .toList();
    }
}
