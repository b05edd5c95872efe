package dev.sluice.examples.q4;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The published data of VADER, from the resources in {@code vader/}. */
final class Lexicon {
    /** Ratings of tokens, from -4 to 4. */
    final Map<String, Double> ratings = new HashMap<>();

    /** What emojis show, by code point. Those of several code points are never found, as in VADER. */
    final Map<Integer, String> emojis = new HashMap<>();

    /** Words and phrases that raise or lower the rating of what follows. */
    final Map<String, Double> boosters = new HashMap<>();

    final Set<String> negations = new HashSet<>();

    /** Phrases with a rating of their own. */
    final Map<String, Double> phrases = new HashMap<>();

    static Lexicon load() {
        Lexicon lexicon = new Lexicon();
        for (String[] row : rows("vader_lexicon.txt")) {
            lexicon.ratings.put(row[0], Double.valueOf(row[1]));
        }
        for (String[] row : rows("emoji_utf8_lexicon.txt")) {
            if (row[0].codePointCount(0, row[0].length()) == 1) {
                lexicon.emojis.put(row[0].codePointAt(0), row[1]);
            }
        }
        for (String[] row : rows("words.tsv")) {
            switch (row[0]) {
                case "booster" -> lexicon.boosters.put(row[1], Double.valueOf(row[2]));
                case "negation" -> lexicon.negations.add(row[1]);
                case "phrase" -> lexicon.phrases.put(row[1], Double.valueOf(row[2]));
                default -> throw new IllegalStateException("words.tsv: " + row[0]);
            }
        }
        return lexicon;
    }

    /** The tab-separated values of a resource's lines, which may end in CR LF or LF. */
    private static Iterable<String[]> rows(String name) {
        try (InputStream in = Lexicon.class.getResourceAsStream("/vader/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the jar has no vader/" + name);
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            return lines.lines()
                    .filter(line -> !line.isBlank())
                    .map(line -> line.strip().split("\t"))
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
