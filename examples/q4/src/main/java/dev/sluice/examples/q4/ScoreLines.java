package dev.sluice.examples.q4;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Scores lines without Flink: reads the job's lines from the standard input, and prints id, score in
 * ten-thousandths and cleaned text of each post, with tabs between them.
 */
public final class ScoreLines {
    private ScoreLines() {}

    /** Runs until the input's end. */
    public static void main(String[] arguments) throws IOException {
        Vader vader = new Vader(Lexicon.load());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintWriter out =
                new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
        String line = in.readLine();
        while (line != null) {
            Post post = Post.parse(line);
            if (post != null) {
                String text = Cleaner.clean(post.text);
                out.print(post.id + "\t" + vader.score(text) + "\t" + text + "\n");
            }
            line = in.readLine();
        }
        out.flush();
    }
}
