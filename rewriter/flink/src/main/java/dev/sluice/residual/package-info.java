/** Runs what is left of a user's job: the job's own code behind the frame source. */
package dev.sluice.residual;
