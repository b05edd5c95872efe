package dev.sluice.residual;

import java.util.List;

/**
 * The part of an input that moved out of the job, by nodes of the captured graph.
 *
 * @param source the source
 * @param nodes every node that moved, the source too
 * @param boundary the last of them
 */
record Prefix(int source, List<Integer> nodes, int boundary) {}
