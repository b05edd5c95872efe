package dev.sluice.residual;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/**
 * Compares a checkpoint with the job that is to start from it. Flink has one switch for state that nobody takes: refuse all of
 * it, or drop all of it in silence. Here only what can't go along may be left behind: the positions of sources whose part of the
 * job moved out, and those of the frame sources of other versions, which read other topics.
 */
final class SavepointCheck {
    private final Set<OperatorID> taken;
    private final Set<OperatorID> leftBehind;
    private final Map<OperatorID, String> names;

    /**
     * @param taken ids of the operators that the job has
     * @param leftBehind ids of those that it does not have, and whose state is not carried over
     * @param names of operators, as far as known
     */
    SavepointCheck(Set<OperatorID> taken, Set<OperatorID> leftBehind, Map<OperatorID, String> names) {
        this.taken = taken;
        this.leftBehind = leftBehind;
        this.names = names;
    }

    /** Whether Flink must be told to leave state behind; an {@link ExitException} when more would be lost. */
    boolean leavesState(String path, ClassLoader loader) throws ExitException {
        boolean leaves = false;
        List<String> lost = new ArrayList<>();
        for (OperatorState operator : operators(path, loader)) {
            OperatorID id = operator.getOperatorID();
            if (hasState(operator) && !taken.contains(id)) {
                leaves = true;
                if (!leftBehind.contains(id)) {
                    lost.add(name(id));
                }
            }
        }
        if (!lost.isEmpty()) {
            throw new ExitException(
                    ExitException.USAGE,
                    "restore is " + path
                            + ", which has state of operators that this job does not have, and that would be"
                            + " lost: " + String.join(", ", lost) + ". Give operators that keep state a uid, or start"
                            + " without it");
        }
        return leaves;
    }

    private static Collection<OperatorState> operators(String path, ClassLoader loader) throws ExitException {
        try {
            CompletedCheckpointStorageLocation location =
                    AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(path);
            try (DataInputStream in =
                    new DataInputStream(location.getMetadataHandle().openInputStream())) {
                CheckpointMetadata metadata = Checkpoints.loadCheckpointMetadata(in, loader, path);
                return metadata.getOperatorStates();
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new ExitException(ExitException.USAGE, "restore is " + path + ", which can't be read: " + e, e);
        }
    }

    private static boolean hasState(OperatorState operator) {
        return operator.getCoordinatorState() != null
                || operator.getStates().stream().anyMatch(OperatorSubtaskState::hasState);
    }

    private String name(OperatorID id) {
        return names.containsKey(id) ? "'" + names.get(id) + "', which moved out of it" : id.toString();
    }
}
