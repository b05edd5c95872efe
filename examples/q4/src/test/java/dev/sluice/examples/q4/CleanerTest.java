package dev.sluice.examples.q4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CleanerTest {
    @ParameterizedTest
    @CsvSource({
        "a http://example.org/x?y=1&z b,a b",
        "http://url_removed,''",
        "HTTPS://EXAMPLE.ORG!,''",
        "see (www.example.org) now,see ( now",
        "wwwhat? shttp://x,wwwhat? shttp://x",
    })
    void linksGo(String text, String expected) {
        assertEquals(expected, Cleaner.clean(text));
    }

    @ParameterizedTest
    @CsvSource({
        "@anonymous thanks,thanks",
        "thanks @anonymous_1!,thanks !",
        "RT @a: @b's,RT : 's",
        "@ home,@ home",
        "me@example.org,me@example.org",
        "@@x,@",
    })
    void mentionsGo(String text, String expected) {
        assertEquals(expected, Cleaner.clean(text));
    }

    @ParameterizedTest
    @CsvSource({
        "fish &amp; chips,fish & chips",
        "I &lt;3 u,I <3 u",
        "a &gt; b,a > b",
        "x&nbsp;y,x y",
        "&#x1F600;&#128512;,😀😀",
        "&amp;lt;,&lt;",
        "AT&T; R&D &amp &; &unknown; &#; &#x; &#xD800; &#99999999; &#-5;,"
                + "AT&T; R&D &amp &; &unknown; &#; &#x; &#xD800; &#99999999; &#-5;",
    })
    void entitiesAreWhatTheyStandFor(String text, String expected) {
        assertEquals(expected, Cleaner.clean(text));
    }

    @Test
    void quotesAreEntitiesToo() {
        assertEquals("\"so\" it's '", Cleaner.clean("&quot;so&quot; it&#39;s &apos;"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"So GOOD!!", "", "#happy :-D", "Straße 😀", "1.5"})
    void theRestStays(String text) {
        assertEquals(text, Cleaner.clean(text));
    }

    @Test
    void runsOfSpaceAreOneSpace() {
        assertEquals("a b c", Cleaner.clean(" a \t b\u00A0\u3000c&nbsp; \n"));
        assertEquals("a b", Cleaner.clean("a @x http://y b @z"));
    }
}
