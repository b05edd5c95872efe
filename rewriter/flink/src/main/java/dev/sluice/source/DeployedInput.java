package dev.sluice.source;

import dev.sluice.progress.Limits;
import java.io.Serializable;
import java.time.Duration;

/**
 * What the frame source must know of a deployed input.
 *
 * @param query id of the query
 * @param version of the deployment
 * @param name of the input
 * @param partitions of each of its topics
 * @param valueSchema Avro schema (JSON) of an event at the end of the movable prefix
 * @param frameSchemaId registry id of its frames, the only one accepted
 * @param operators that a frame in {@code out} must have been through
 * @param deadSchemaId registry id of DeadEvent
 * @param lateSchemaId registry id of LateEvent
 * @param timing limits on silence and holes
 */
public record DeployedInput(
        String query,
        int version,
        String name,
        int partitions,
        String valueSchema,
        int frameSchemaId,
        int operators,
        int deadSchemaId,
        int lateSchemaId,
        Timing timing)
        implements Serializable {

    /**
     * The limits that a deployment sets; the others are {@link Limits#defaults}.
     *
     * @param eventTimeOrder instead of source order
     * @param assignerInPrefix whether frames carry the watermark of the job's assigner; where they don't, order is never
     *     given up
     * @param heldBytes of frames behind holes, per partition
     */
    public record Timing(
            boolean eventTimeOrder,
            boolean assignerInPrefix,
            Duration idleAfter,
            Duration startGrace,
            Duration holeLimit,
            Duration silentHoleLimit,
            Duration maxAhead,
            long heldBytes)
            implements Serializable {}

    /** The topic of finished frames. */
    public String outTopic() {
        return query + "." + version + "." + name + ".out";
    }

    /** The topic of events that could not be passed on. */
    public String deadTopic() {
        return query + ".dead";
    }

    /** The topic of copies of late events. */
    public String lateTopic() {
        return query + ".late";
    }

    /** The consumer group under which the residual's progress shows. */
    public String group() {
        return "sluice." + query + "." + name + ".residual";
    }

    /** The limits of the reader's algebra. */
    Limits limits() {
        Limits defaults = Limits.defaults();
        return new Limits(
                timing.eventTimeOrder,
                !timing.assignerInPrefix,
                timing.idleAfter.toMillis(),
                timing.startGrace.toMillis(),
                timing.holeLimit.toMillis(),
                timing.silentHoleLimit.toMillis(),
                defaults.settleMs(),
                timing.maxAhead.toMillis(),
                timing.heldBytes,
                defaults.maxIntervals(),
                defaults.maxClosed());
    }
}
