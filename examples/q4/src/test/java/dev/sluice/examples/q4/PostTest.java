package dev.sluice.examples.q4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostTest {
    @Test
    void readsCommaSeparatedValues() {
        Post post = Post.parse("17,2014-06-01 00:17:05,Love that");
        assertEquals(17, post.id);
        assertEquals(Instant.parse("2014-06-01T00:17:05Z").toEpochMilli(), post.time);
        assertEquals("Love that", post.text);
    }

    @Test
    void quotedTextMayHaveCommasQuotesAndTabs() {
        assertEquals("no, \"really\"\t!", Post.parse("\"1\",\"2014-06-01 00:00:00\",\"no, \"\"really\"\"\t!\"").text);
        assertNull(Post.parse("1,2014-06-01 00:00:00,no, really"));
        assertNull(Post.parse("1,2014-06-01 00:00:00,\"no end"));
        assertNull(Post.parse("1,2014-06-01 00:00:00,\"an end\" and more"));
    }

    @Test
    void readsTheFormOfRatedTweets() {
        Post post = Post.parse("61\t-1.5\tA \"quoted\" word, and a comma");
        assertEquals(61, post.id);
        assertEquals(Instant.parse("2014-01-01T01:01:00Z").toEpochMilli(), post.time);
        assertEquals("A \"quoted\" word, and a comma", post.text);
        assertEquals("x", Post.parse("1\t\tx").text);
    }

    @Test
    void byteOrderMarkAndCarriageReturnAreRemoved() {
        assertEquals(5, Post.parse("\uFEFF5\t1.0\tGood\r").id);
        assertEquals("Good", Post.parse("\uFEFF5\t1.0\tGood\r").text);
        assertEquals("Good", Post.parse("5,2014-06-01 00:00:00,Good\r").text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\r",
                "\uFEFF",
                "id,time,text",
                "id\trating\ttext",
                "5",
                "5\t1.0",
                "5\t1.0\tGood\tBad",
                "5,2014-06-01 00:00:00",
                "5,2014-06-01 00:00:00,",
                "5,2014-06-01 00:00:00,  ",
                "5\t1.0\t \u3000",
                "NA,2014-06-01 00:00:00,Good",
                ",2014-06-01 00:00:00,Good",
                "5,NA,Good",
                "5,Null,Good",
                "5,,Good",
                "5,2014-06-31 00:00:00,Good",
                "5.5\t1.0\tGood",
                "99999999999\t1.0\tGood",
            })
    void notAPost(String line) {
        assertNull(Post.parse(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NA", "Null"})
    void wordsForNothingAreWordsInAText(String text) {
        assertEquals(text, Post.parse("5\t0\t" + text).text);
    }
}
