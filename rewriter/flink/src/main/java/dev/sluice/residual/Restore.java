package dev.sluice.residual;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;

/** From which checkpoint or savepoint a job starts. */
final class Restore {
    /** Flink's setting, of the same name in both versions. */
    static final String PATH = "execution.state-recovery.path";

    /** Flink's switch: drop all state that no operator takes. */
    static final String IGNORE_UNCLAIMED = "execution.state-recovery.ignore-unclaimed-state";

    private Restore() {}

    /** What the settings say, else what Flink was told. */
    static Optional<String> path(LauncherSettings settings, Configuration flink) throws ExitException {
        switch (settings.restore()) {
            case LauncherSettings.NONE:
                return Optional.ofNullable(flink.toMap().get(PATH));
            case LauncherSettings.LATEST:
                return latest(uri(settings.checkpointDir()));
            default:
                return Optional.of(uri(settings.restore()).toString());
        }
    }

    private static Optional<String> latest(URI folder) throws ExitException {
        if (!"file".equals(folder.getScheme())) {
            throw new ExitException(
                    ExitException.USAGE,
                    "restore is latest, which needs a local checkpoint-dir; name the checkpoint instead");
        }
        try {
            return Checkpoints.latest(Path.of(folder)).map(path -> path.toUri().toString());
        } catch (IOException e) {
            throw new ExitException(ExitException.USAGE, "checkpoint-dir can't be read: " + e, e);
        }
    }

    /** A path as an absolute URI. */
    static URI uri(String pathOrUri) {
        return pathOrUri.contains(":/")
                ? URI.create(pathOrUri)
                : Path.of(pathOrUri).toAbsolutePath().normalize().toUri();
    }
}
