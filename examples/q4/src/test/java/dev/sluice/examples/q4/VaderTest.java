package dev.sluice.examples.q4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The scores of {@code scores.tsv} are those that vaderSentiment 3.3.2 gives; {@code compare.py} compares many more. */
class VaderTest {
    private static final Lexicon LEXICON = Lexicon.load();
    private static final Vader VADER = new Vader(LEXICON);

    static Stream<Arguments> scores() throws Exception {
        try (InputStream in = VaderTest.class.getResourceAsStream("/scores.tsv")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().map(line -> {
                String[] values = line.split("\t");
                return Arguments.of(Integer.valueOf(values[0]), values[1]);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("scores")
    void scoreIsThatOfThePackage(int score, String text) {
        assertEquals(score, VADER.score(text));
    }

    @Test
    void noWordsScoreNothing() {
        assertEquals(0, VADER.score(""));
        assertEquals(0, VADER.score(" \u00A0 "));
    }

    @Test
    void lexiconsAreWholeAlthoughTheirLinesEndInCrLf() {
        assertEquals(7_506, LEXICON.ratings.size());
        assertEquals(-1.5, LEXICON.ratings.get("$:"));
        assertEquals(3.1, LEXICON.ratings.get("great"));
        assertEquals("grinning face", LEXICON.emojis.get(0x1F600));
        assertEquals(59, LEXICON.negations.size());
        assertEquals(9, LEXICON.phrases.size());
        assertEquals(0.293, LEXICON.boosters.get("very"));
        assertEquals(-0.293, LEXICON.boosters.get("kind of"));
    }

    @Test
    void spacesAreThoseOfPython() {
        StringBuilder spaces = new StringBuilder();
        for (char c = 0; c < Character.MAX_VALUE; c++) {
            if (Spaces.isSpace(c)) {
                spaces.append(Integer.toHexString(c)).append(' ');
            }
        }
        assertEquals(
                "9 a b c d 1c 1d 1e 1f 20 85 a0 1680 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 200a"
                        + " 2028 2029 202f 205f 3000 ",
                spaces.toString());
    }
}
