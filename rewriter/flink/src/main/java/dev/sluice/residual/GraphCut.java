package dev.sluice.residual;

import dev.sluice.capture.CapturedJob;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.SideOutputTransformation;

/**
 * Puts sources in the place of the parts of a captured job that moved out (DESIGN section 4). Everything else of the job stays
 * as its author built it: names, uids, parallelism, sinks, side outputs.
 */
final class GraphCut {
    private final CapturedJob job;
    private final Wiring wiring;

    /** Cuts this job. */
    GraphCut(CapturedJob job) {
        this.job = job;
        this.wiring = new Wiring(job.environment());
    }

    /** What the readers of the prefix read. */
    TypeInformation<?> type(Prefix prefix) {
        return node(prefix.boundary()).getOutputType();
    }

    /**
     * Cuts a prefix off: who read its boundary reads {@code source} from now on, which is returned.
     *
     * @param uid of the source; null for none
     * @throws IllegalArgumentException when the job is not one that the prefix can be cut from
     */
    <T> Transformation<T> replace(
            Prefix prefix, Source<T, ?, ?> source, WatermarkStrategy<T> watermarks, String name, String uid) {
        Transformation<?> boundary = node(prefix.boundary());
        List<Transformation<?>> moved = new ArrayList<>();
        prefix.nodes().forEach(id -> moved.add(node(id)));
        List<Transformation<?>> all = wiring.all();
        @SuppressWarnings("unchecked") // The source was made for this type.
        TypeInformation<T> type = (TypeInformation<T>) boundary.getOutputType();
        Transformation<T> in =
                job.environment().fromSource(source, watermarks, name, type).getTransformation();
        in.setUid(uid);
        placeLike(boundary, in);
        for (Transformation<?> reader : all) {
            if (!Wiring.isIn(moved, reader)) {
                redirect(reader, moved, boundary, in);
            }
        }
        wiring.remove(moved);
        wiring.forgetPredecessors();
        return in;
    }

    private void redirect(
            Transformation<?> reader, List<Transformation<?>> moved, Transformation<?> boundary, Transformation<?> in) {
        for (Transformation<?> input : reader.getInputs()) {
            boolean inside = input != boundary || reader instanceof SideOutputTransformation;
            if (inside && Wiring.isIn(moved, input)) {
                throw new IllegalArgumentException("'" + reader.getName() + "' reads '" + input.getName()
                        + "', which is inside the part that moved out of the job");
            }
        }
        if (Wiring.isIn(reader.getInputs(), boundary)) {
            wiring.redirect(reader, boundary, in);
        }
    }

    /** So that who reads it still reads it subtask by subtask, and is chained to it where it was to the boundary. */
    private static void placeLike(Transformation<?> boundary, Transformation<?> in) {
        if (boundary.getParallelism() > 0 && boundary.getParallelism() != in.getParallelism()) {
            in.setParallelism(boundary.getParallelism());
        }
        if (boundary.getMaxParallelism() > 0) {
            in.setMaxParallelism(boundary.getMaxParallelism());
        }
        boundary.getSlotSharingGroup().ifPresent(in::setSlotSharingGroup);
        if (boundary.getBufferTimeout() >= 0) {
            in.setBufferTimeout(boundary.getBufferTimeout());
        }
    }

    private Transformation<?> node(int id) {
        if (id < 1 || id > job.transformations().size()) {
            throw new IllegalArgumentException("the job has no node " + id);
        }
        return job.transformation(id);
    }
}
