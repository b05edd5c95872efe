package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointsTest {
    @Test
    void theNewestCompletedCheckpointIsFound(@TempDir Path folder) throws Exception {
        assertEquals(Optional.empty(), Checkpoints.latest(folder));
        assertEquals(Optional.empty(), Checkpoints.latest(folder.resolve("none")));
        Path older = complete(folder.resolve("job/chk-9"), 1_000);
        Path newer = complete(folder.resolve("other/chk-2"), 2_000);
        Files.createDirectories(folder.resolve("other/chk-3"));
        assertEquals(Optional.of(newer), Checkpoints.latest(folder));
        assertEquals(Optional.of(older), Checkpoints.latest(folder.resolve("job")));
    }

    private static Path complete(Path checkpoint, long ms) throws Exception {
        Files.createDirectories(checkpoint);
        Path file = Files.createFile(checkpoint.resolve("_metadata"));
        Files.setLastModifiedTime(file, FileTime.fromMillis(ms));
        return checkpoint;
    }
}
