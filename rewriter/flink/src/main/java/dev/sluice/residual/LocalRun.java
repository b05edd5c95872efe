package dev.sluice.residual;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.capture.Capture;
import dev.sluice.capture.CaptureException;
import dev.sluice.capture.CapturedJob;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;

/**
 * Runs a job over files, without Kafka and to its end: as its author built it, split, or only what moved out of it. Says what
 * came of each run in a line of JSON on the standard output; whatever the job prints goes to the standard error.
 */
public final class LocalRun {
    private static final String USAGE =
            "usage: LocalRun [--jar JAR] --main CLASS --mode unsplit|split|prefix [--plan FILE]"
                    + " --input NAME=FILE .. --out DIR [-- ARGUMENT ..], or LocalRun --batch FILE (- for the standard input)";

    private final ObjectMapper json = new ObjectMapper();
    private final PrintStream results;
    private final LocalCluster cluster;

    private LocalRun(PrintStream results, LocalCluster cluster) {
        this.results = results;
        this.cluster = cluster;
    }

    /** See the class. */
    public static void main(String[] words) throws Exception {
        PrintStream results = System.out;
        System.setOut(System.err);
        int code;
        try (LocalCluster cluster = new LocalCluster()) {
            LocalRun run = new LocalRun(results, cluster);
            code = words.length == 2 && words[0].equals("--batch") ? run.batch(words[1]) : run.one(words);
        }
        // A job may have left threads behind.
        System.exit(code);
    }

    private int one(String[] words) {
        try {
            return run(LocalRequest.parse(words));
        } catch (IllegalArgumentException e) {
            return failed(ExitException.USAGE, e.getMessage() + "; " + USAGE);
        }
    }

    /** A request a line; the exit code is the first that is not 0. */
    private int batch(String file) throws IOException {
        int code = 0;
        try (BufferedReader lines = file.equals("-")
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                : Files.newBufferedReader(Path.of(file))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int of = batched(line);
                code = code == 0 ? of : code;
            }
        }
        return code;
    }

    private int batched(String line) {
        try {
            return run(LocalRequest.parseJson(line));
        } catch (IllegalArgumentException e) {
            return failed(ExitException.USAGE, e.getMessage());
        }
    }

    private int run(LocalRequest request) {
        long began = System.nanoTime();
        try {
            List<LocalJob.Recorded> files = run(request, cluster);
            ObjectNode result = json.createObjectNode().put("ok", true);
            result.put("ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            ArrayNode list = result.putArray("files");
            files.forEach(recorded -> list.addObject()
                    .put("node", recorded.node())
                    .put("name", recorded.name())
                    .put("file", recorded.file().toString()));
            results.println(result);
            return 0;
        } catch (CaptureException | IllegalArgumentException e) {
            return failed(ExitException.USAGE, e.getMessage());
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            return failed(ExitException.INTERNAL, Failures.root(e));
        }
    }

    /** Runs what is asked for to its end; returns what was written. */
    static List<LocalJob.Recorded> run(LocalRequest request, LocalCluster cluster) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (UserJar jar = UserJar.open(request.jar(), request.mainClass())) {
            thread.setContextClassLoader(jar.loader());
            Plan plan = request.plan() == null ? null : Plan.read(request.plan());
            CapturedJob job = Capture.run(
                    request.mainClass(),
                    Arguments.expand(request.args(), System.getenv()),
                    jar.loader(),
                    new Configuration());
            Files.createDirectories(request.out());
            LocalJob local = new LocalJob(job, request, plan);
            JobGraph graph = local.build().getJobGraph(jar.loader(), null);
            graph.setClasspaths(jar.urls());
            cluster.run(graph);
            return local.recorded();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private int failed(int code, String problem) {
        results.println(
                json.createObjectNode().put("ok", false).put("code", code).put("problem", problem));
        return code;
    }
}
