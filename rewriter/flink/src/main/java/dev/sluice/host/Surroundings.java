package dev.sluice.host;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobInfoImpl;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.RuntimeUDFContext;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;

/**
 * What a function sees of Flink: the only subtask of its operator. Metrics and accumulators can be used and are not reported; state,
 * broadcast variables and cached files are refused by Flink's own context.
 */
final class Surroundings
        implements DeserializationSchema.InitializationContext,
                TimestampAssignerSupplier.Context,
                WatermarkGeneratorSupplier.Context {
    private final ClassLoader loader;
    private final ExecutionConfig config;
    private final OperatorMetricGroup metrics = UnregisteredMetricsGroup.createOperatorMetricGroup();

    Surroundings(ClassLoader loader, ExecutionConfig config) {
        this.loader = loader;
        this.config = config;
    }

    /** For the function of an operator. */
    RuntimeContext context(String operator) {
        return new RuntimeUDFContext(
                new JobInfoImpl(new JobID(), "sluice"),
                new TaskInfoImpl(operator, 1, 0, 1, 0),
                loader,
                config,
                Map.of(),
                new HashMap<>(),
                metrics);
    }

    @Override
    public MetricGroup getMetricGroup() {
        return metrics;
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        return SimpleUserCodeClassLoader.create(loader);
    }

    @Override
    public RelativeClock getInputActivityClock() {
        return SystemClock.getInstance();
    }
}
