package dev.sluice.examples.q4;

import java.util.Locale;

/** What the job needs of a post. */
public class Mood {
    /** The topic of a text without a hashtag. */
    static final String NO_TOPIC = "-";

    /** The first hashtag, in lower case and without its sign. */
    public String topic;

    /** Epoch milliseconds. */
    public long time;

    /** From -10,000 (all bad) to 10,000. */
    public int score;

    public Mood() {}

    static Mood of(ScoredPost post) {
        Mood mood = new Mood();
        mood.topic = topic(post.text);
        mood.time = post.time;
        mood.score = post.score;
        return mood;
    }

    /** The first hashtag with a letter; "#1" is a rank. */
    static String topic(String text) {
        int sign = text.indexOf('#');
        while (sign >= 0) {
            int end = Cleaner.endOfName(text, sign + 1);
            for (int i = sign + 1; i < end; i++) {
                if (Character.isLetter(text.charAt(i))) {
                    return text.substring(sign + 1, end).toLowerCase(Locale.ROOT);
                }
            }
            sign = text.indexOf('#', end);
        }
        return NO_TOPIC;
    }
}
