/**
 * The frame source: a Flink source (FLIP-27) of the events in an input's {@code out} topic, each once, in their device's
 * order, with the watermark that their devices justify. The decisions are those of {@link dev.sluice.progress}; here are
 * the reading of Kafka and the ways into and out of Flink. Use it with {@code WatermarkStrategy.noWatermarks()}: it sets the
 * watermark itself.
 */
package dev.sluice.source;
