package dev.sluice.residual;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** A Flink in this process, for one job after another. */
final class LocalCluster implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** Subtasks of different slot sharing groups need slots of their own. */
    private static final int SLOTS = 16;

    private final MiniCluster cluster;

    LocalCluster() throws Exception {
        Configuration flink = new Configuration();
        flink.setString("rest.address", LOOPBACK);
        flink.setString("rest.bind-address", LOOPBACK);
        flink.setString("rest.bind-port", "0");
        flink.setString("jobmanager.bind-host", LOOPBACK);
        flink.setString("taskmanager.bind-host", LOOPBACK);
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(flink)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(SLOTS)
                .build());
        cluster.start();
    }

    /** Runs a job to its end; throws what made it fail. */
    void run(JobGraph job) throws Exception {
        cluster.executeJobBlocking(job);
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
