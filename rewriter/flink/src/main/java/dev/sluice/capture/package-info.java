/**
 * The capture: runs a job's own {@code main} under an environment that records instead of executing, and describes what it
 * built. What is written is said in {@code docs/graph.md}; {@code rewriter/planner} reads it, and the residual's launcher
 * makes the same capture again before it cuts.
 */
package dev.sluice.capture;
