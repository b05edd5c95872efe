package dev.sluice.residual;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/** Finds completed checkpoints in a local folder. */
final class Checkpoints {
    /** Flink writes this file when a checkpoint is complete. */
    private static final String COMPLETE = "_metadata";

    private Checkpoints() {}

    /** The newest completed checkpoint or savepoint in or below a folder. */
    static Optional<Path> latest(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        Newest newest = new Newest();
        Files.walkFileTree(folder, newest);
        return Optional.ofNullable(newest.path);
    }

    /** Checkpoints may be removed while the tree is walked. */
    private static final class Newest extends SimpleFileVisitor<Path> {
        private Path path;
        private FileTime time = FileTime.fromMillis(Long.MIN_VALUE);

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.endsWith(COMPLETE) && attributes.lastModifiedTime().compareTo(time) > 0) {
                time = attributes.lastModifiedTime();
                path = file.getParent();
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
        }
    }
}
