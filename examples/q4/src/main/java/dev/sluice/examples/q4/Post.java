package dev.sluice.examples.q4;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** A short text and when it was written. */
public class Post {
    /** 2014-01-01, the time of text 0 where texts have only numbers. */
    private static final long FIRST_TIME = 1_388_534_400_000L;

    private static final long MINUTE_MS = 60_000;

    public long id;

    /** Epoch milliseconds. */
    public long time;

    public String text;

    public Post() {}

    /**
     * The post of a line, null where there is none.
     *
     * <p>There are two forms. Three comma-separated values, quoted or not, are id, time and text.
     * Three values with tabs between them are number, human rating and text, as in VADER's file of
     * rated tweets; that has no times, so each text is given one: a minute per number from 2014 on.
     * A byte-order mark at the start of a line and a carriage return at its end are removed. A line
     * is dropped when it has not these values, when id or time is not one (so a header), and when it
     * has no text.
     */
    static Post parse(String line) {
        int from = line.startsWith("\uFEFF") ? 1 : 0;
        int to = line.endsWith("\r") ? line.length() - 1 : line.length();
        if (from > to) {
            return null;
        }
        String values = line.substring(from, to);
        int tab = values.indexOf('\t');
        int comma = values.indexOf(',');
        Post post;
        try {
            post = tab >= 0 && (comma < 0 || tab < comma) ? rated(values) : written(values);
        } catch (NumberFormatException | DateTimeException notOne) {
            return null;
        }
        return post == null || post.text.isBlank() ? null : post;
    }

    private static Post rated(String line) {
        String[] values = line.split("\t", -1);
        if (values.length != 3) {
            return null;
        }
        Post post = new Post();
        post.id = Integer.parseInt(values[0]);
        post.time = FIRST_TIME + post.id * MINUTE_MS;
        post.text = values[2];
        return post;
    }

    private static Post written(String line) {
        List<String> values = Csv.split(line);
        if (values == null || values.size() != 3) {
            return null;
        }
        Post post = new Post();
        post.id = Long.parseLong(values.get(0));
        post.time = LocalDateTime.parse(values.get(1).replace(' ', 'T')).toEpochSecond(ZoneOffset.UTC) * 1000;
        post.text = values.get(2);
        return post;
    }
}
