/**
 * The reader's algebra: coverage of seq ranges, incarnations, watermarks and silent devices (DESIGN section 3). Pure:
 * time is passed in, nothing here reads a clock, a socket or Flink. The Rust crate {@code services/progress} is its twin;
 * both run the vectors in {@code tests/vectors/progress}.
 */
package dev.sluice.progress;
