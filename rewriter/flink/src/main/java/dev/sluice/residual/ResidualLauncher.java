package dev.sluice.residual;

import dev.sluice.source.DeployedInput;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.core.execution.JobClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a residual job until it fails or the process is told to stop: {@code ResidualLauncher residual.properties}, see
 * {@link ResidualConfig}. Started plainly it brings its own Flink in this process.
 */
public final class ResidualLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ResidualLauncher.class);
    private static final long STOP_SECONDS = 20;

    private ResidualLauncher() {}

    /** See the class. */
    public static void main(String[] args) {
        try {
            if (args.length != 1) {
                throw new ExitException(ExitException.USAGE, "usage: ResidualLauncher FILE");
            }
            run(ResidualConfig.load(Path.of(args[0])));
        } catch (ExitException e) {
            LOG.debug("exit {}", e.code(), e);
            System.err.println("sluice residual: " + e.getMessage());
            System.exit(e.code());
        }
    }

    private static void run(ResidualConfig config) throws ExitException {
        ResidualJob job = new ResidualJob(config);
        DeployedInput input = new Cluster(config).input();
        JobClient client = job.start(input);
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
        System.err.println("sluice residual: runs " + input.outTopic() + " as job " + client.getJobID());
        try {
            client.getJobExecutionResult().get();
        } catch (ExecutionException e) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            throw new ExitException(ExitException.INTERNAL, "the job failed: " + rootOf(e), e);
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

    private static Throwable rootOf(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
