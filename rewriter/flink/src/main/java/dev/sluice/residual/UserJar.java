package dev.sluice.residual;

import java.io.File;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.ProgramInvocationException;
import org.apache.flink.util.FlinkException;

/** The classes of a job: those of its jar and the jars in it, as Flink loads them, or those of this process. */
final class UserJar implements AutoCloseable {
    private final PackagedProgram program;

    private UserJar(PackagedProgram program) {
        this.program = program;
    }

    /** Opens a jar; null for the class path. */
    static UserJar open(Path jar, String mainClass) throws FlinkException {
        if (jar == null) {
            return new UserJar(null);
        }
        try {
            return new UserJar(PackagedProgram.newBuilder()
                    .setJarFile(new File(jar.toString()))
                    .setEntryPointClassName(mainClass)
                    .build());
        } catch (ProgramInvocationException e) {
            throw new FlinkException(jar + ": " + e.getMessage(), e);
        }
    }

    /** Loads the job's classes. */
    ClassLoader loader() {
        return program == null ? Thread.currentThread().getContextClassLoader() : program.getUserCodeClassLoader();
    }

    /** The jars that tasks need. */
    List<URL> urls() {
        return program == null ? List.of() : program.getJobJarAndDependencies();
    }

    @Override
    public void close() {
        if (program != null) {
            program.close();
        }
    }
}
