package dev.sluice.source;

import org.apache.flink.api.connector.source.SourceEvent;

/** Tells a reader that it has all the splits that it will get; with none it must not hold time back. */
record SplitsAssigned() implements SourceEvent {}
