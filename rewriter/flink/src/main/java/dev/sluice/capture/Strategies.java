package dev.sluice.capture;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.AscendingTimestampsWatermarks;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.NoWatermarksGenerator;
import org.apache.flink.api.common.eventtime.RecordTimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.SystemClock;

/** Describes watermark strategies: what their generator does is seen from the generator that they create. */
final class Strategies {
    private static final String EVENT_TIME = "org.apache.flink.api.common.eventtime.";
    private static final String ADAPTERS = "org.apache.flink.streaming.runtime.operators.util.AssignerWith";
    private static final String EXTRACTORS = "org.apache.flink.streaming.api.functions.timestamps.";

    private Strategies() {}

    /** A strategy that goes into the entry of this name; null for one that does nothing. */
    static Graph.Watermarks of(WatermarkStrategy<?> strategy, String entry) {
        if (strategy == null) {
            return null;
        }
        Object legacy = legacyAssigner(strategy);
        if (legacy != null) {
            return legacy(strategy, legacy, entry);
        }
        Object generator = generator(strategy);
        Object assigner = assigner(strategy);
        Object timestamps = assigner == null || assigner instanceof RecordTimestampAssigner
                ? "record"
                : Functions.of(assigner, null);
        if (generator instanceof NoWatermarksGenerator && timestamps.equals("record")) {
            return null;
        }
        String kind = "custom";
        Long boundMs = null;
        if (generator.getClass() == BoundedOutOfOrdernessWatermarks.class
                || generator.getClass() == AscendingTimestampsWatermarks.class) {
            boundMs = (Long) Fields.get(generator, "outOfOrdernessMillis");
            kind = generator.getClass() == AscendingTimestampsWatermarks.class ? "monotonous" : "bounded";
        }
        String problem = Functions.problem(strategy);
        return new Graph.Watermarks(
                kind,
                Functions.className(generator),
                boundMs,
                idleMs(strategy),
                strategy.getAlignmentParameters().isEnabled(),
                false,
                timestamps,
                problem == null ? entry : null,
                problem,
                strategy);
    }

    /** The assigner of old that a strategy wraps (Flink 1) or is (Flink 2); null for other strategies. */
    private static Object legacyAssigner(WatermarkStrategy<?> strategy) {
        if (strategy.getClass().getName().startsWith(ADAPTERS)) {
            return Fields.get(strategy, "wms");
        }
        return isA(strategy, "AscendingTimestampExtractor") || isA(strategy, "BoundedOutOfOrdernessTimestampExtractor")
                ? strategy
                : null;
    }

    private static Graph.Watermarks legacy(WatermarkStrategy<?> strategy, Object assigner, String entry) {
        Long boundMs = null;
        String kind = "custom";
        if (isA(assigner, "AscendingTimestampExtractor")) {
            kind = "monotonous";
            boundMs = 0L;
        } else if (isA(assigner, "BoundedOutOfOrdernessTimestampExtractor")
                && Fields.get(assigner, "maxOutOfOrderness") instanceof Long bound
                && bound > 0) {
            kind = "bounded";
            boundMs = bound - 1;
        }
        String problem = Functions.problem(strategy);
        return new Graph.Watermarks(
                kind,
                Functions.className(assigner),
                boundMs,
                null,
                false,
                true,
                Functions.of(assigner, null),
                problem == null ? entry : null,
                problem,
                strategy);
    }

    private static boolean isA(Object assigner, String extractor) {
        for (Class<?> type = assigner.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(EXTRACTORS + extractor)) {
                return true;
            }
        }
        return false;
    }

    /** The generator of the innermost strategy, without idleness; the strategy itself where it makes none here. */
    private static Object generator(WatermarkStrategy<?> strategy) {
        WatermarkStrategy<?> inner = strategy;
        for (WatermarkStrategy<?> next = base(inner); next != null; next = base(inner)) {
            inner = next;
        }
        try {
            Object generator = inner.createWatermarkGenerator(context(WatermarkGeneratorSupplier.Context.class));
            return generator == null ? strategy : generator;
        } catch (RuntimeException e) {
            return strategy;
        }
    }

    /** What makes the time stamps; the strategy itself where it makes none here. */
    static Object assigner(WatermarkStrategy<?> strategy) {
        Object legacy = legacyAssigner(strategy);
        if (legacy != null) {
            return legacy;
        }
        try {
            return strategy.createTimestampAssigner(context(TimestampAssignerSupplier.Context.class));
        } catch (RuntimeException e) {
            return strategy;
        }
    }

    private static Long idleMs(WatermarkStrategy<?> strategy) {
        Long idleMs = null;
        for (WatermarkStrategy<?> next = strategy; next != null; next = base(next)) {
            if (Fields.get(next, "idlenessTimeout") instanceof Duration idle && isFlinks(next)) {
                idleMs = idleMs == null ? idle.toMillis() : Math.min(idleMs, idle.toMillis());
            }
        }
        return idleMs;
    }

    /** What a wrapper of Flink's wraps: its classes of these are not public. */
    private static WatermarkStrategy<?> base(WatermarkStrategy<?> strategy) {
        if (!isFlinks(strategy)) {
            return null;
        }
        Object base = Fields.get(strategy, "baseStrategy");
        if (base == null) {
            base = Fields.get(strategy, "strategy");
        }
        return base instanceof WatermarkStrategy<?> inner ? inner : null;
    }

    private static boolean isFlinks(WatermarkStrategy<?> strategy) {
        return strategy.getClass().getName().startsWith(EVENT_TIME)
                && !strategy.getClass().isSynthetic();
    }

    /** A context that measures nothing; its methods differ between versions. */
    private static <C> C context(Class<C> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getReturnType() == MetricGroup.class) {
                return new UnregisteredMetricsGroup();
            }
            if (method.getReturnType().isInstance(SystemClock.getInstance())) {
                return SystemClock.getInstance();
            }
            throw new UnsupportedOperationException(method.getName());
        }));
    }
}
