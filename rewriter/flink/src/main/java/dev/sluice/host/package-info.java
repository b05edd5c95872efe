/**
 * The sidecar that executes a job's own functions for an agent or a replica (DESIGN section 4, engine {@code jvm}). A connection
 * on its Unix socket is a chain of operators; the protocol is in {@link dev.sluice.host.Protocol}.
 */
package dev.sluice.host;
