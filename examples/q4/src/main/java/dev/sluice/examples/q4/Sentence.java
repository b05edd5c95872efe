package dev.sluice.examples.q4;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A text cut into words as VADER does it. */
final class Sentence {
    private static final String PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

    final String[] words;

    /** The words in lower case. */
    final String[] lower;

    /** Whether some words, but not all, are in capitals: only then capitals are emphasis. */
    final boolean mixesCapitals;

    Sentence(String text) {
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int start = at;
            while (at < text.length() && !Spaces.isSpace(text.charAt(at))) {
                at++;
            }
            if (at > start) {
                found.add(bare(text.substring(start, at)));
            }
            at++;
        }
        words = found.toArray(new String[0]);
        lower = new String[words.length];
        int capitals = 0;
        for (int i = 0; i < words.length; i++) {
            lower[i] = words[i].toLowerCase(Locale.ROOT);
            if (isCapitals(words[i])) {
                capitals++;
            }
        }
        mixesCapitals = capitals > 0 && capitals < words.length;
    }

    /** Whether a word is emphasised by its capitals. */
    boolean shouts(int word) {
        return mixesCapitals && isCapitals(words[word]);
    }

    /** The words from one to another, both included, in lower case with spaces between them. */
    String phrase(int first, int last) {
        StringBuilder phrase = new StringBuilder(lower[first]);
        for (int i = first + 1; i <= last; i++) {
            phrase.append(' ').append(lower[i]);
        }
        return phrase.toString();
    }

    /** A token without the punctuation around it, unless so little is left that it may be an emoticon. */
    private static String bare(String token) {
        int start = 0;
        int end = token.length();
        while (start < end && PUNCTUATION.indexOf(token.charAt(start)) >= 0) {
            start++;
        }
        while (end > start && PUNCTUATION.indexOf(token.charAt(end - 1)) >= 0) {
            end--;
        }
        return token.codePointCount(start, end) <= 2 ? token : token.substring(start, end);
    }

    /** Whether a word has a capital letter and no small one. */
    private static boolean isCapitals(String word) {
        boolean hasCapital = false;
        int at = 0;
        while (at < word.length()) {
            int letter = word.codePointAt(at);
            if (Character.isLowerCase(letter) || Character.isTitleCase(letter)) {
                return false;
            }
            hasCapital |= Character.isUpperCase(letter);
            at += Character.charCount(letter);
        }
        return hasCapital;
    }
}
