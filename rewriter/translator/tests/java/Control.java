/** Control flow: each method takes a text and gives one; the JVM says what is right. */
final class Control {
    private Control() {}

    static String branches(String in) {
        int n = in.length();
        if (n > 3 && n < 10 || n == 12) {
            return "middle";
        } else if (n == 0) {
            return "none";
        }
        return n % 2 == 0 ? "even" : "odd";
    }

    static String loops(String in) {
        int sum = 0;
        for (int i = 0; i < in.length(); i++) {
            for (int j = i; j < in.length(); j += 2) {
                if (in.charAt(j) == 'x') {
                    continue;
                }
                if (sum > 10_000) {
                    break;
                }
                sum += in.charAt(j) * (i + 1);
            }
        }
        return String.valueOf(sum);
    }

    static String labelled(String in) {
        int found = -1;
        outer:
        for (int i = 0; i < in.length(); i++) {
            for (int j = i + 1; j < in.length(); j++) {
                if (in.charAt(i) == in.charAt(j)) {
                    found = i * 100 + j;
                    break outer;
                }
            }
        }
        return "at " + found;
    }

    static String swapsInLoop(String in) {
        int a = 1;
        int b = 1;
        int c = 7;
        for (int i = 0; i < in.length(); i++) {
            int t = a;
            a = b;
            b = c;
            c = t + i;
        }
        return a + "," + b + "," + c;
    }

    static String dense(String in) {
        switch (in.length()) {
            case 0:
                return "zero";
            case 1:
            case 2:
                return "few";
            case 3:
                in = in + "!";
            case 4:
                return in + "?";
            case 9:
                return "nine";
            default:
                return "many";
        }
    }

    static String sparse(String in) {
        int key = in.hashCode() % 1000;
        return switch (key) {
            case -900, -3, 0 -> "a";
            case 7 -> "b";
            case 55 -> "c";
            case 97 -> "d";
            case 98 -> "e";
            case 900 -> "f";
            default -> String.valueOf(key);
        };
    }

    static String words(String in) {
        switch (in) {
            case "alpha":
                return "1";
            case "Aa":
                return "2";
            case "BB":
                return "3";
            case "":
                return "4";
            default:
                return "0";
        }
    }

    static String characters(String in) {
        int vowels = 0;
        for (char c : in.toCharArray()) {
            switch (c) {
                case 'a', 'e', 'i', 'o', 'u' -> vowels++;
                case ' ' -> vowels += 100;
                default -> {}
            }
        }
        return "" + vowels;
    }

    static String caught(String in) {
        int value;
        try {
            value = Integer.parseInt(in);
        } catch (NumberFormatException e) {
            value = -1;
        }
        return "v" + value;
    }

    static String cleanup(String in) {
        StringBuilder log = new StringBuilder();
        try {
            log.append(in.charAt(2));
            return log.append("r").toString();
        } catch (IndexOutOfBoundsException e) {
            log.append("c");
        } finally {
            log.append("f");
        }
        return log.toString();
    }

    static String nested(String in) {
        String what = "";
        try {
            try {
                what += "a" + 10 / in.length();
                what += in.charAt(4);
            } catch (ArithmeticException e) {
                what += "z";
                throw new IllegalStateException("inner");
            }
        } catch (IllegalStateException e) {
            what += e.getMessage();
        } catch (RuntimeException e) {
            what += "r";
        }
        return what;
    }

    static String thrown(String in) {
        if (in.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        if (in.length() == 1) {
            throw new Own("one");
        }
        return in;
    }

    static String own(String in) {
        try {
            return thrown(in);
        } catch (Own e) {
            return "own " + e.getMessage();
        } catch (IllegalArgumentException e) {
            return "illegal";
        }
    }

    static String rethrown(String in) {
        try {
            return deep(in, 3);
        } catch (RuntimeException e) {
            if (in.length() > 2) {
                throw e;
            }
            return "kept";
        }
    }

    private static String deep(String in, int at) {
        try {
            return in.substring(at);
        } finally {
            at++;
        }
    }

    static String nothing(String in) {
        String maybe = in.length() > 3 ? in : null;
        if (maybe == null) {
            return "null";
        }
        return maybe + maybe.length();
    }

    static String fails(String in) {
        String maybe = in.length() > 3 ? in : null;
        return maybe.trim();
    }

    static String truths(String in) {
        boolean a = in.startsWith("a");
        boolean b = in.endsWith("z");
        boolean c = a & !b | a ^ b;
        boolean d = c == a;
        int sum = (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0) + (d ? 8 : 0);
        return a + "" + b + c + d + sum;
    }

    static String whiles(String in) {
        int n = in.length() * 7 + 3;
        int steps = 0;
        do {
            n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
            steps++;
        } while (n != 1 && steps < 500);
        return "s" + steps;
    }

    /** An exception of the user. */
    static final class Own extends RuntimeException {
        private static final long serialVersionUID = 1;

        Own(String message) {
            super(message);
        }
    }
}
