package dev.sluice.host;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.util.ChildFirstClassLoader;

/**
 * The class loaders of the jobs: one for all chains of a jar, as in a task manager. The user's classes come before ours, but for
 * those that Flink loads itself.
 */
final class Loaders {
    private final Map<Path, Lease> leases = new HashMap<>();

    /** A class loader in use; the last one who closes it closes the jar. */
    final class Lease implements AutoCloseable {
        private final Path jar;
        private final List<Path> inner = new ArrayList<>();
        private final URLClassLoader loader;
        private int users;

        private Lease(Path jar) throws IOException {
            this.jar = jar;
            unpack();
            List<URL> urls = new ArrayList<>();
            urls.add(jar.toUri().toURL());
            for (Path path : inner) {
                urls.add(path.toUri().toURL());
            }
            this.loader = new ChildFirstClassLoader(
                    urls.toArray(new URL[0]),
                    Loaders.class.getClassLoader(),
                    CoreOptions.getParentFirstLoaderPatterns(new Configuration()),
                    failure -> {});
        }

        /** A job's jar may hold others in its folder {@code lib}, which Flink unpacks too. */
        private void unpack() throws IOException {
            try (JarFile file = new JarFile(jar.toFile())) {
                for (JarEntry entry : Collections.list(file.entries())) {
                    String name = entry.getName();
                    if (name.startsWith("lib/") && name.endsWith(".jar")) {
                        Path path = Files.createTempFile("lib", ".jar");
                        inner.add(path);
                        path.toFile().deleteOnExit();
                        try (InputStream in = file.getInputStream(entry)) {
                            Files.copy(in, path, StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                }
            }
        }

        ClassLoader loader() {
            return loader;
        }

        @Override
        public void close() throws IOException {
            synchronized (leases) {
                if (--users == 0) {
                    leases.remove(jar);
                    loader.close();
                    for (Path path : inner) {
                        Files.deleteIfExists(path);
                    }
                }
            }
        }
    }

    Lease of(Path jar) throws IOException {
        synchronized (leases) {
            Lease lease = leases.get(jar);
            if (lease == null) {
                lease = new Lease(jar);
                leases.put(jar, lease);
            }
            lease.users++;
            return lease;
        }
    }
}
