package dev.sluice.residual;

import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.LocalStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what is left of a deployed job: {@code ResidualLauncher --brokers H:P --query q1 ..}, see {@link LauncherSettings}. The
 * job's own classes must be on the class path. Started plainly it brings its own Flink in this process, and runs until the job
 * fails or the process is told to stop; as the entry class of a jar it submits the job to the Flink that runs it.
 */
public final class ResidualLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ResidualLauncher.class);
    private static final long STOP_SECONDS = 20;

    private ResidualLauncher() {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        boolean embedded = StreamExecutionEnvironment.getExecutionEnvironment() instanceof LocalStreamEnvironment;
        if (!embedded) {
            // Ends with Flink's own report; this process may not be ours to end.
            submit(LauncherSettings.parse(args), new Configuration());
            return;
        }
        try {
            follow(embed(LauncherSettings.parse(args)));
        } catch (ExitException e) {
            LOG.debug("exit {}", e.code(), e);
            System.err.println("sluice residual: " + e.getMessage());
            System.exit(e.code());
        }
    }

    /** Starts the job in this process. */
    static JobClient embed(LauncherSettings settings) throws ExitException {
        return submit(settings, FlinkSettings.embedded(settings));
    }

    private static JobClient submit(LauncherSettings settings, Configuration own) throws ExitException {
        Plan plan = Deployment.of(settings);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(own);
        return submit(plan, settings, SplitJob.frames(settings), env);
    }

    /** Cuts the job and executes it. */
    static JobClient submit(
            Plan plan, LauncherSettings settings, SplitJob.Sources sources, StreamExecutionEnvironment env)
            throws ExitException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        env.configure(FlinkSettings.ofJob(settings));
        Configuration outer = Configuration.fromMap(env.getConfiguration().toMap());
        SplitJob job = SplitJob.of(plan, sources, loader, outer, FlinkSettings.checkpoints(settings));
        Configuration flink = job.settings();
        Optional<String> restore = Restore.path(settings, flink);
        if (restore.isPresent()) {
            flink.setString(Restore.PATH, restore.get());
            if (job.savepointCheck().leavesState(restore.get(), loader)) {
                flink.setString(Restore.IGNORE_UNCLAIMED, "true");
            }
        }
        env.configure(flink);
        try {
            return env.executeAsync(job.graph());
        } catch (Exception e) {
            throw new ExitException(ExitException.INTERNAL, "the job did not start: " + Failures.root(e), e);
        }
    }

    private static void follow(JobClient client) throws ExitException {
        // The job ends once: by itself, or by being told to.
        AtomicBoolean over = new AtomicBoolean();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            if (over.compareAndSet(false, true)) {
                                stop(client);
                                System.err.println("sluice residual: stopped");
                            }
                        },
                        "stop"));
        System.err.println("sluice residual: runs as job " + client.getJobID());
        try {
            client.getJobExecutionResult().get();
        } catch (ExecutionException e) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            throw new ExitException(ExitException.INTERNAL, "the job failed: " + Failures.root(e), e);
        } catch (InterruptedException e) {
            throw new ExitException(ExitException.INTERNAL, "interrupted", e);
        }
    }

    /** Cancels the job; its last checkpoint stays. */
    static void stop(JobClient client) {
        try {
            client.cancel().get(STOP_SECONDS, TimeUnit.SECONDS);
            client.getJobExecutionResult().handle((result, error) -> null).get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            LOG.debug("the job was not running any more", e);
        }
    }
}
