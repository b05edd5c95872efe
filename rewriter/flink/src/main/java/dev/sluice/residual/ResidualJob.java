package dev.sluice.residual;

import dev.sluice.source.DeployedInput;
import dev.sluice.source.FrameSource;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The user's job behind the frame source. */
final class ResidualJob {
    private static final String LOOPBACK = "127.0.0.1";

    private final ResidualConfig config;
    private final Class<?> type;
    private final Method method;

    ResidualJob(ResidualConfig config) throws ExitException {
        this.config = config;
        this.type = load("type", config.type());
        this.method = method(config.method());
    }

    /** Starts the job. */
    JobClient start(DeployedInput input) throws ExitException {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration());
        env.setParallelism(config.parallelism());
        FrameSource<?> source;
        try {
            source = new FrameSource<>(
                    config.kafka(), input, org.apache.flink.api.common.typeinfo.TypeInformation.of(type));
        } catch (IllegalArgumentException e) {
            throw usage("type does not fit the deployed schema: " + e.getMessage());
        }
        String uid = input.query() + "." + input.name();
        DataStream<?> events = env.fromSource(source, WatermarkStrategy.noWatermarks(), "frames of " + uid)
                .uid(uid);
        try {
            method.invoke(null, events, config.args());
        } catch (InvocationTargetException e) {
            throw new ExitException(ExitException.USAGE, "method failed: " + e.getCause(), e.getCause());
        } catch (IllegalAccessException e) {
            throw usage("method can't be called: " + e.getMessage());
        }
        try {
            return env.executeAsync(input.query() + "." + input.version() + " residual");
        } catch (Exception e) {
            throw new ExitException(ExitException.INTERNAL, "the job did not start: " + e, e);
        }
    }

    private Configuration configuration() throws ExitException {
        Configuration flink = new Configuration();
        flink.setString("rest.address", LOOPBACK);
        flink.setString("rest.bind-address", LOOPBACK);
        flink.setString("rest.bind-port", Integer.toString(config.restPort()));
        // The default of 10 s makes every figure that is read by REST look like a sawtooth.
        flink.setString("metrics.fetcher.update-interval", "500 ms");
        flink.setString("jobmanager.bind-host", LOOPBACK);
        flink.setString("taskmanager.bind-host", LOOPBACK);
        if (config.checkpointDir() == null) {
            return flink;
        }
        URI folder = uri(config.checkpointDir());
        flink.setString("execution.checkpointing.dir", folder.toString());
        flink.setString("execution.checkpointing.interval", config.checkpointMs() + " ms");
        flink.setString("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        Optional<String> restore = restore(folder);
        restore.ifPresent(path -> flink.setString("execution.state-recovery.path", path));
        return flink;
    }

    private Optional<String> restore(URI folder) throws ExitException {
        switch (config.restore()) {
            case "none":
                return Optional.empty();
            case "latest":
                if (!"file".equals(folder.getScheme())) {
                    throw usage("restore is latest, which needs a local checkpoint.dir; name the checkpoint instead");
                }
                try {
                    return Checkpoints.latest(Path.of(folder))
                            .map(path -> path.toUri().toString());
                } catch (IOException e) {
                    throw new ExitException(ExitException.USAGE, "checkpoint.dir can't be read: " + e, e);
                }
            default:
                return Optional.of(uri(config.restore()).toString());
        }
    }

    private static URI uri(String pathOrUri) {
        return pathOrUri.contains(":/")
                ? URI.create(pathOrUri)
                : Path.of(pathOrUri).toAbsolutePath().normalize().toUri();
    }

    private static Class<?> load(String setting, String name) throws ExitException {
        try {
            return Class.forName(name, false, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw usage(setting + " is " + name + ", which is not on the class path");
        }
    }

    private static Method method(String name) throws ExitException {
        int hash = name.indexOf('#');
        Class<?> owner = load("method", name.substring(0, hash));
        try {
            Method method = owner.getMethod(name.substring(hash + 1), DataStream.class, String[].class);
            if (Modifier.isStatic(method.getModifiers())) {
                return method;
            }
        } catch (NoSuchMethodException e) {
            // Said below.
        }
        throw usage("method is " + name + ", which is no public static method of (DataStream, String[])");
    }

    private static ExitException usage(String message) {
        return new ExitException(ExitException.USAGE, message);
    }
}
