/**
 * Small ordinary Flink jobs, a shape each: what users write and a rewriter may get wrong. None knows of Sluice. The
 * Kafka sources are never connected.
 */
package dev.sluice.equivalence;
