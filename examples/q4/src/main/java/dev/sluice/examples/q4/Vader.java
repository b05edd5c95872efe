package dev.sluice.examples.q4;

/**
 * The compound score of VADER (Hutto and Gilbert, ICWSM 2014), as the Python package vaderSentiment
 * 3.3.2 gives it.
 *
 * <p>Each word of the lexicon has a rating. Up to three words before it change that: degree words,
 * negations, and a few phrases; so do capitals, and "but" in the sentence. The ratings' sum, with
 * emphasis for exclamation and question marks, is brought between -1 and 1.
 */
final class Vader {
    private static final double CAPITALS = 0.733;
    private static final double NEGATION = -0.74;
    private static final double NEVER_SO = 1.25;
    private static final double EXCLAMATION = 0.292;
    private static final double QUESTION = 0.18;
    private static final double MANY_QUESTIONS = 0.96;
    private static final double NORMAL = 15;

    /** How much of a degree word's step is left, by its distance. */
    private static final double[] LEFT = {0, 1, 0.95, 0.9};

    private final Lexicon lexicon;

    Vader(Lexicon lexicon) {
        this.lexicon = lexicon;
    }

    /** The score of a text, ten-thousandths: from -10,000 to 10,000. */
    int score(String text) {
        String plain = describeEmojis(text);
        Sentence sentence = new Sentence(plain);
        double[] ratings = new double[sentence.words.length];
        for (int i = 0; i < ratings.length; i++) {
            ratings[i] = rating(sentence, i);
        }
        weighBut(sentence, ratings);
        double sum = 0;
        for (double rating : ratings) {
            sum += rating;
        }
        if (sum > 0) {
            sum += emphasis(plain);
        } else if (sum < 0) {
            sum -= emphasis(plain);
        }
        return (int) Math.rint(sum / Math.sqrt(sum * sum + NORMAL) * 10_000);
    }

    /** Puts words in the place of emojis; a space before them where there is none. */
    private String describeEmojis(String text) {
        StringBuilder out = new StringBuilder(text.length());
        boolean afterSpace = true;
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            String description = lexicon.emojis.get(character);
            if (description != null) {
                if (!afterSpace) {
                    out.append(' ');
                }
                out.append(description);
                afterSpace = false;
            } else {
                out.appendCodePoint(character);
                afterSpace = character == ' ';
            }
            at += Character.charCount(character);
        }
        return out.toString();
    }

    private double rating(Sentence sentence, int i) {
        String[] lower = sentence.lower;
        boolean isLast = i + 1 == lower.length;
        Double rated = lexicon.ratings.get(lower[i]);
        boolean isDegree = lexicon.boosters.containsKey(lower[i])
                || !isLast && lower[i].equals("kind") && lower[i + 1].equals("of");
        if (rated == null || isDegree) {
            return 0;
        }
        double rating = rated;
        if (lower[i].equals("no") && !isLast && lexicon.ratings.containsKey(lower[i + 1])) {
            rating = 0;
        }
        if (followsNo(lower, i)) {
            rating = rated * NEGATION;
        }
        if (sentence.shouts(i)) {
            rating += rating > 0 ? CAPITALS : -CAPITALS;
        }
        for (int distance = 1; distance <= 3 && distance <= i; distance++) {
            if (!lexicon.ratings.containsKey(lower[i - distance])) {
                rating += step(sentence, i - distance, rating) * LEFT[distance];
                rating = negate(lower, i, distance, rating);
                if (distance == 3) {
                    rating = phrases(sentence, i, rating);
                }
            }
        }
        return followsLeast(lower, i) ? rating * NEGATION : rating;
    }

    private static boolean followsNo(String[] lower, int i) {
        return i > 0 && lower[i - 1].equals("no")
                || i > 1 && lower[i - 2].equals("no")
                || i > 2 && lower[i - 3].equals("no") && (lower[i - 1].equals("or") || lower[i - 1].equals("nor"));
    }

    private static boolean followsLeast(String[] lower, int i) {
        return i > 0
                && lower[i - 1].equals("least")
                && !(i > 1 && (lower[i - 2].equals("at") || lower[i - 2].equals("very")));
    }

    /** By how much a degree word changes the rating of what follows it; 0 for other words. */
    private double step(Sentence sentence, int word, double rating) {
        Double booster = lexicon.boosters.get(sentence.lower[word]);
        if (booster == null) {
            return 0;
        }
        double step = rating < 0 ? -booster : booster;
        if (sentence.shouts(word)) {
            step += rating > 0 ? CAPITALS : -CAPITALS;
        }
        return step;
    }

    /** What a negation at a distance makes of a rating; "never so" strengthens, "without doubt" does nothing. */
    private double negate(String[] lower, int i, int distance, double rating) {
        String word = lower[i - distance];
        if (distance == 2) {
            if (word.equals("never") && isSo(lower[i - 1])) {
                return rating * NEVER_SO;
            }
            if (word.equals("without") && lower[i - 1].equals("doubt")) {
                return rating;
            }
        } else if (distance == 3) {
            // "so" and "this" just before a word strengthen it whatever is before them, as in the package.
            if (word.equals("never") && isSo(lower[i - 2]) || isSo(lower[i - 1])) {
                return rating * NEVER_SO;
            }
            if (word.equals("without") && (lower[i - 2].equals("doubt") || lower[i - 1].equals("doubt"))) {
                return rating;
            }
        }
        boolean negates = lexicon.negations.contains(word) || word.contains("n't");
        return negates ? rating * NEGATION : rating;
    }

    private static boolean isSo(String word) {
        return word.equals("so") || word.equals("this");
    }

    /** Phrases around a word, which has three words before it. */
    private double phrases(Sentence sentence, int i, double before) {
        double rating = before;
        int[][] spans = {{i - 1, i}, {i - 2, i}, {i - 2, i - 1}, {i - 3, i - 1}, {i - 3, i - 2}};
        for (int[] span : spans) {
            Double own = lexicon.phrases.get(sentence.phrase(span[0], span[1]));
            if (own != null) {
                rating = own;
                break;
            }
        }
        for (int last = i + 1; last <= i + 2 && last < sentence.words.length; last++) {
            Double own = lexicon.phrases.get(sentence.phrase(i, last));
            if (own != null) {
                rating = own;
            }
        }
        int[][] degrees = {{i - 3, i - 1}, {i - 3, i - 2}, {i - 2, i - 1}};
        for (int[] span : degrees) {
            Double step = lexicon.boosters.get(sentence.phrase(span[0], span[1]));
            if (step != null) {
                rating += step;
            }
        }
        return rating;
    }

    /**
     * Halves what stands before "but" and raises what stands behind it.
     *
     * <p>The package looks each rating up by its value, and so changes the first word with an equal
     * one, perhaps several times. Scores are to be equal, so this does the same.
     */
    private static void weighBut(Sentence sentence, double[] ratings) {
        int but = 0;
        while (but < ratings.length && !sentence.lower[but].equals("but")) {
            but++;
        }
        if (but == ratings.length) {
            return;
        }
        for (int i = 0; i < ratings.length; i++) {
            double rating = ratings[i];
            int first = 0;
            while (ratings[first] != rating) {
                first++;
            }
            if (first < but) {
                ratings[first] = rating * 0.5;
            } else if (first > but) {
                ratings[first] = rating * 1.5;
            }
        }
    }

    private static double emphasis(String text) {
        int exclamations = Math.min(count(text, '!'), 4);
        int questions = count(text, '?');
        double asked = questions < 2 ? 0 : questions <= 3 ? questions * QUESTION : MANY_QUESTIONS;
        return exclamations * EXCLAMATION + asked;
    }

    private static int count(String text, char wanted) {
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == wanted) {
                count++;
            }
        }
        return count;
    }
}
