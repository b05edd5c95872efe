package dev.sluice.source;

import java.util.List;

/**
 * What the enumerator must remember; the splits that readers have are in their own state.
 *
 * @param discovered whether the topic's partitions were made splits
 * @param unassigned splits that no reader has
 */
record FrameEnumeratorState(boolean discovered, List<FrameSplit> unassigned) {}
