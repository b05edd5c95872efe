/** Kafka clients as the residual job uses them. */
package dev.sluice.kafka;
