package dev.sluice.residual;

import org.apache.flink.configuration.Configuration;

/** What the launcher's settings mean to Flink. */
final class FlinkSettings {
    private static final String LOOPBACK = "127.0.0.1";

    private FlinkSettings() {}

    /** For what a job does not set itself, on any Flink. */
    static Configuration ofJob(LauncherSettings settings) {
        Configuration flink = new Configuration();
        if (settings.parallelism() != null) {
            flink.setString("parallelism.default", settings.parallelism().toString());
        }
        return flink;
    }

    /** Where and how often checkpoints are made, whatever the job says: {@code restore} looks for them there. */
    static Configuration checkpoints(LauncherSettings settings) {
        Configuration flink = new Configuration();
        if (settings.checkpointDir() != null) {
            flink.setString(
                    "execution.checkpointing.dir",
                    Restore.uri(settings.checkpointDir()).toString());
            flink.setString("execution.checkpointing.interval", settings.checkpointMs() + " ms");
            flink.setString("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        }
        return flink;
    }

    /** For a Flink that this process brings. */
    static Configuration embedded(LauncherSettings settings) {
        Configuration flink = new Configuration();
        flink.setString("parallelism.default", "1");
        flink.setString("rest.address", LOOPBACK);
        flink.setString("rest.bind-address", LOOPBACK);
        flink.setString("rest.bind-port", Integer.toString(settings.restPort()));
        // The default of 10 s makes every figure that is read by REST look like a sawtooth.
        flink.setString("metrics.fetcher.update-interval", "500 ms");
        flink.setString("jobmanager.bind-host", LOOPBACK);
        flink.setString("taskmanager.bind-host", LOOPBACK);
        flink.addAll(ofJob(settings));
        return flink;
    }
}
