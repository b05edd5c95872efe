package dev.sluice.capture;

import java.util.Locale;
import java.util.Map;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.UdfStreamOperatorFactory;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;

/** Describes stream operators by their classes. */
final class Operators {
    private static final String OPERATORS = "org.apache.flink.streaming.api.operators.";
    private static final Map<String, String> KINDS = Map.of(
            OPERATORS + "StreamMap", "map",
            OPERATORS + "StreamFlatMap", "flat_map",
            OPERATORS + "StreamFilter", "filter",
            OPERATORS + "StreamProject", "project",
            OPERATORS + "ProcessOperator", "process");
    private static final String TAGGER = "org.apache.flink.streaming.api.datastream.CoGroupedStreams$Input";
    private static final String FILE_READER = "ContinuousFileReaderOperatorFactory";
    private static final String ASYNC = "AsyncWaitOperatorFactory";
    private static final String INTERVAL_JOIN = "IntervalJoinOperator";
    private static final String PATTERN = "CepOperator";
    private static final String FILE_MONITOR = "ContinuousFileMonitoringFunction";

    private Operators() {}

    /** What a one-input operator without key is. */
    static String kind(StreamOperatorFactory<?> factory, ClassLoader loader) {
        String name = factory.getClass().getSimpleName();
        if (name.equals(ASYNC)) {
            return "async";
        } else if (name.equals(FILE_READER)) {
            return "file_reader";
        }
        Object function = function(factory);
        if (function != null && function.getClass().getName().startsWith(TAGGER)) {
            return "window_tag";
        }
        return KINDS.getOrDefault(className(factory, loader), "other");
    }

    /** The class of the operator, or of its factory. */
    static String className(StreamOperatorFactory<?> factory, ClassLoader loader) {
        try {
            return factory.getStreamOperatorClass(loader).getName();
        } catch (RuntimeException e) {
            return factory.getClass().getName();
        }
    }

    /** The user's function, or null. */
    static Object function(StreamOperatorFactory<?> factory) {
        Object function = factory instanceof UdfStreamOperatorFactory<?> udf
                ? udf.getUserFunction()
                : Fields.get(factory, "asyncFunction");
        Object wrapped = function == null ? null : wrapped(function);
        return wrapped == null ? function : wrapped;
    }

    /** Whether an operator is known to do nothing with events that have no time: windows, joins and patterns by event time. */
    static boolean needsEventTime(StreamOperatorFactory<?> factory, ClassLoader loader) {
        if (className(factory, loader).endsWith(INTERVAL_JOIN)) {
            return true;
        }
        Object operator = Fields.get(factory, "operator");
        Object holder = operator == null ? factory : operator;
        if (Fields.get(holder, "windowAssigner") instanceof WindowAssigner<?, ?> assigner) {
            return assigner.isEventTime();
        }
        return className(factory, loader).endsWith(PATTERN)
                && Boolean.FALSE.equals(Fields.get(holder, "isProcessingTime"));
    }

    /** The fields of a projection. */
    static int[] projection(StreamOperatorFactory<?> factory) {
        Object operator = Fields.get(factory, "operator");
        return operator != null && Fields.get(operator, "fields") instanceof int[] fields ? fields : new int[0];
    }

    /** The format that a file reader reads; null for other operators. */
    static Object fileFormat(StreamOperatorFactory<?> factory) {
        return factory.getClass().getSimpleName().equals(FILE_READER) ? Fields.get(factory, "inputFormat") : null;
    }

    /** Whether a function lists files for a reader. */
    static boolean isFileMonitor(Object function) {
        return function.getClass().getSimpleName().equals(FILE_MONITOR);
    }

    /** Whether a file monitor lists its files once. */
    static boolean listsOnce(Object monitor) {
        return "PROCESS_ONCE".equals(String.valueOf(Fields.get(monitor, "watchType")));
    }

    /** How a partitioner deals out its events. */
    static String partitioning(StreamPartitioner<?> partitioner) {
        if (partitioner instanceof KeyGroupStreamPartitioner<?, ?>) {
            return "hash";
        }
        String name = partitioner.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        for (String known : new String[] {"forward", "rebalance", "rescale", "shuffle", "broadcast", "global"}) {
            if (name.startsWith(known)) {
                return known;
            }
        }
        return "custom";
    }

    /** What Flink's windows wrap around a function. */
    private static Object wrapped(Object function) {
        return function.getClass().getName().startsWith("org.apache.flink.")
                ? Fields.get(function, "wrappedFunction")
                : null;
    }
}
