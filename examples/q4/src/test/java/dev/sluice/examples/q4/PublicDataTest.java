package dev.sluice.examples.q4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** VADER's rated tweets, where they are: {@code SLUICE_DATA}, or beside the repository. */
class PublicDataTest {
    private static Path file(String name) {
        Path file = Path.of(System.getenv().getOrDefault("SLUICE_DATA", "../../../shared/data"), "q4", name);
        assumeTrue(Files.exists(file), "skipped: there is no " + file.toAbsolutePath());
        return file;
    }

    private static List<String> tweets() throws Exception {
        String text = Files.readString(file("vader_tweets_GroundTruth.txt"), StandardCharsets.UTF_8);
        return Arrays.asList(text.split("\n"));
    }

    @Test
    void everyTweetIsAPostAndScoresGoWithHumanRatings() throws Exception {
        Vader vader = new Vader(Lexicon.load());
        List<String> lines = tweets();
        double[] scores = new double[lines.size()];
        double[] ratings = new double[lines.size()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = vader.score(Cleaner.clean(Post.parse(lines.get(i)).text));
            ratings[i] = Double.parseDouble(lines.get(i).split("\t")[1]);
        }
        assertEquals(4_200, scores.length);
        double pearson = pearson(scores, ratings);
        System.out.println("q4 public data: posts=" + scores.length + " pearson=" + pearson);
        assertTrue(pearson >= 0.85, "pearson " + pearson);
    }

    @Test
    void noEntityMentionOrLinkIsLeft() throws Exception {
        for (String line : tweets()) {
            String text = Cleaner.clean(Post.parse(line).text);
            assertTrue(!text.matches(".*(&(amp|lt|gt);|http://).*|(.*\\W)?@anonymous.*"), text);
        }
    }

    @Test
    void theWholeFileThroughTheJob() throws Exception {
        List<String> results = SentimentJobTest.run(tweets(), 1);
        long posts = results.stream()
                .mapToLong(line -> Long.parseLong(line.split(",")[2]))
                .sum();
        System.out.println("q4 public data: results=" + results.size());
        assertEquals(4_200, posts);
        assertEquals(results, SentimentJobTest.run(tweets(), 2));
    }

    @Test
    void theLexiconIsThePublishedOne() throws Exception {
        byte[] published = Files.readAllBytes(file("vader_lexicon.txt"));
        byte[] ours = PublicDataTest.class
                .getResourceAsStream("/vader/vader_lexicon.txt")
                .readAllBytes();
        assertArrayEquals(published, ours);
    }

    private static double pearson(double[] x, double[] y) {
        double meanX = Arrays.stream(x).average().orElseThrow();
        double meanY = Arrays.stream(y).average().orElseThrow();
        double both = 0;
        double squareX = 0;
        double squareY = 0;
        for (int i = 0; i < x.length; i++) {
            both += (x[i] - meanX) * (y[i] - meanY);
            squareX += (x[i] - meanX) * (x[i] - meanX);
            squareY += (y[i] - meanY) * (y[i] - meanY);
        }
        return both / Math.sqrt(squareX * squareY);
    }
}
