import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;

/** Lists that change while they are iterated over: each method takes a text and gives one; the JVM says what is right. */
final class Lists {
    private Lists() {}

    private static List<String> letters(String in) {
        return new ArrayList<>(Arrays.asList(in.split("")));
    }

    static String addsWhileIterating(String in) {
        List<String> letters = letters(in);
        for (String letter : letters) {
            if (letter.equals("a")) {
                letters.add("b");
            }
        }
        return letters.toString();
    }

    static String addsAndRemovesAsMany(String in) {
        List<String> letters = letters(in);
        StringBuilder out = new StringBuilder();
        try {
            for (String letter : letters) {
                out.append(letter);
                if (letter.equals("a")) {
                    letters.add("b");
                    letters.remove(0);
                }
            }
        } catch (ConcurrentModificationException e) {
            out.append('!').append(letters.size());
        }
        return out.toString();
    }

    static String removesTheLastButOne(String in) {
        List<String> letters = letters(in);
        StringBuilder out = new StringBuilder();
        for (String letter : letters) {
            out.append(letter);
            if (out.length() == letters.size() - 1) {
                letters.remove(letter);
            }
        }
        return out.append(letters.size()).toString();
    }

    static String removesWhatIsNotThere(String in) {
        List<String> letters = letters(in);
        for (String letter : letters) {
            letters.remove(letter + letter);
        }
        return letters.toString();
    }

    static String sees(String in) {
        List<String> letters = letters(in);
        StringBuilder out = new StringBuilder();
        int at = 0;
        for (String letter : letters) {
            out.append(letter);
            at++;
            if (at < letters.size()) {
                letters.set(at, letter + at);
            }
        }
        return out.toString();
    }

    static String removesByItsIterator(String in) {
        List<String> letters = letters(in);
        Iterator<String> iterator = letters.iterator();
        while (iterator.hasNext()) {
            String letter = iterator.next();
            if (letter.compareTo("m") < 0) {
                iterator.remove();
            }
        }
        return letters.toString();
    }

    static String sortsWhileIterating(String in) {
        List<String> letters = letters(in);
        Iterator<String> iterator = letters.iterator();
        String first = iterator.next();
        if (letters.size() > 3) {
            Collections.sort(letters);
        }
        return first + (iterator.hasNext() ? iterator.next() : "") + letters;
    }

    static String addsNothing(String in) {
        List<String> letters = letters(in);
        Iterator<String> iterator = letters.iterator();
        letters.addAll(new ArrayList<>());
        return iterator.hasNext() ? iterator.next() : "none";
    }

    static String linked(String in) {
        LinkedList<String> letters = new LinkedList<>(letters(in));
        StringBuilder out = new StringBuilder();
        for (String letter : letters) {
            out.append(letter).append(letters.peekFirst());
            if (letter.equals("a")) {
                letters.pollLast();
            }
        }
        return out.append(letters.size()).toString();
    }
}
