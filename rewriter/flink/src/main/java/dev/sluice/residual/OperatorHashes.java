package dev.sluice.residual;

import dev.sluice.capture.CapturedJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.util.StringUtils;

/**
 * The operator ids of the job as it was before anything was cut, which the residual keeps: state goes from a savepoint of the
 * one to the other and back. Operators without a uid have an id made from the job's structure, see {@link UidHash}.
 */
final class OperatorHashes {
    /** By {@link Transformation#getId()}. */
    private final Map<Integer, Operator> operators = new TreeMap<>();

    /** Parts of sinks, in order: each translation gives them new ids. */
    private final List<Operator> parts = new ArrayList<>();

    /** An operator of the uncut job. */
    private record Operator(String name, byte[] hash, boolean hasUid) {}

    /** Notes the ids of a job that is still whole. */
    OperatorHashes(CapturedJob job) {
        Set<Integer> own = job.denseIds().keySet();
        StreamGraph graph = job.environment().getStreamGraph(false);
        Map<Integer, byte[]> hashes = new StreamGraphHasherV2().traverseStreamGraphAndGenerateHashes(graph);
        for (StreamNode node : sorted(graph)) {
            Operator operator =
                    new Operator(node.getOperatorName(), hashes.get(node.getId()), node.getTransformationUID() != null);
            if (own.contains(node.getId())) {
                operators.put(node.getId(), operator);
            } else {
                parts.add(operator);
            }
        }
    }

    /**
     * Gives the operators of the cut job the ids that they had.
     *
     * @param added what is new in it
     */
    void keepIn(StreamGraph cut, Collection<Transformation<?>> added) {
        Set<Integer> isNew = new HashSet<>();
        added.forEach(transformation -> isNew.add(transformation.getId()));
        int part = 0;
        for (StreamNode node : sorted(cut)) {
            if (isNew.contains(node.getId())) {
                continue;
            }
            Operator operator = operators.get(node.getId());
            if (operator == null) {
                operator = part(part++, node);
            }
            if (!operator.hasUid) {
                cut.setTransformationUID(node.getId(), UidHash.uidFor(operator.hash));
            }
        }
    }

    private Operator part(int index, StreamNode node) {
        if (index >= parts.size() || !parts.get(index).name.equals(node.getOperatorName())) {
            throw new IllegalStateException(
                    "'" + node.getOperatorName() + "' of a sink is not where it was in the whole job");
        }
        return parts.get(index);
    }

    private static List<StreamNode> sorted(StreamGraph graph) {
        return graph.getStreamNodes().stream()
                .sorted(Comparator.comparingInt(StreamNode::getId))
                .toList();
    }

    /** The id that an operator had; none for what is no operator. */
    Optional<OperatorID> id(Transformation<?> transformation) {
        return Optional.ofNullable(operators.get(transformation.getId()))
                .map(operator -> new OperatorID(operator.hash));
    }

    /** The names of all operators. */
    Map<OperatorID, String> names() {
        Map<OperatorID, String> names = new HashMap<>();
        operators.values().forEach(operator -> names.put(new OperatorID(operator.hash), operator.name));
        parts.forEach(operator -> names.put(new OperatorID(operator.hash), operator.name));
        return names;
    }

    /** All ids of a job, those that it can take state from. */
    static Set<OperatorID> all(StreamGraph graph) {
        Set<OperatorID> ids = new HashSet<>();
        new StreamGraphHasherV2()
                .traverseStreamGraphAndGenerateHashes(graph)
                .values()
                .forEach(hash -> ids.add(new OperatorID(hash)));
        for (StreamNode node : graph.getStreamNodes()) {
            if (node.getUserHash() != null) {
                ids.add(new OperatorID(StringUtils.hexStringToByte(node.getUserHash())));
            }
        }
        return ids;
    }

    /** The id of an operator with a uid. */
    static OperatorID ofUid(String uid) {
        return new OperatorID(UidHash.of(uid));
    }
}
