/** Arithmetic: each method takes a text and gives one; the JVM says what is right. */
final class Numbers {
    private Numbers() {}

    private static int seed(String in) {
        int h = 17;
        for (int i = 0; i < in.length(); i++) {
            h = h * 31 + in.charAt(i);
        }
        return h;
    }

    static String ints(String in) {
        int a = seed(in);
        int b = a ^ 0x5bd1e995;
        return (a + b) + " " + (a - b) + " " + a * b + " " + a / 7 + " " + a % 7 + " " + -a + " " + ~a;
    }

    static String longs(String in) {
        long a = seed(in) * 0x9E3779B97F4A7C15L;
        long b = a >>> 7;
        return (a + b) + " " + a * b + " " + a / 1001 + " " + a % 1001 + " " + (a ^ b) + " " + (a & b) + " " + (a | b);
    }

    static String shifts(String in) {
        int a = seed(in);
        long b = a * 31L;
        return (a << 3) + " " + (a >> 5) + " " + (a >>> 9) + " " + (b << 40) + " " + (b >> 33) + " " + (b >>> 1) + " " + (a << b);
    }

    static String narrow(String in) {
        int a = seed(in);
        return (byte) a + " " + (short) a + " " + (int) (char) a + " " + (byte) (a >> 3) + " " + (char) ('a' + (a & 15));
    }

    static String doubles(String in) {
        double a = seed(in) / 1000.0;
        double b = a * a - 3;
        return (a + b) + " " + a / b + " " + a % 3.5 + " " + (int) a + " " + (long) (b * 1e12) + " " + (float) a;
    }

    static String floats(String in) {
        float a = seed(in) / 37f;
        return a + " " + (a + 1.5f) + " " + (a * a) + " " + (int) a + " " + (double) a + " " + (a % 2f);
    }

    static String compares(String in) {
        double a = in.isEmpty() ? Double.NaN : in.length() - 3.5;
        String out = "";
        out += a < 0 ? "<" : "";
        out += a <= 0 ? "le" : "";
        out += a > 0 ? ">" : "";
        out += a >= 0 ? "ge" : "";
        out += a == a ? "=" : "nan";
        out += !(a < 1) ? "n" : "";
        float f = (float) a;
        out += f < 1f ? "f" : "g";
        long l = in.length();
        return out + (l < 4L ? "l" : "m") + (l == 4L ? "4" : "");
    }

    static String zero(String in) {
        return "" + 100 / in.length();
    }

    static String remainder(String in) {
        long by = in.length() - 2;
        try {
            return "" + 100L % by;
        } catch (ArithmeticException e) {
            return e.getMessage();
        }
    }

    static String special(String in) {
        double zero = in.length() * 0.0;
        double inf = 1 / zero;
        return (int) inf + " " + (long) -inf + " " + (int) (zero / zero) + " " + inf + " " + (0.0 == -zero);
    }

    static String compound(String in) {
        byte b = (byte) in.length();
        b += 200;
        short s = 1;
        s *= 70_000;
        char c = 'a';
        c++;
        int i = 5;
        i += 3.7;
        long l = 1;
        l <<= 40;
        return b + " " + s + " " + c + " " + i + " " + l;
    }

    static String boxes(String in) {
        Integer a = in.length();
        Integer b = null;
        Long c = 5L;
        if (a > 2) {
            b = a + 1;
        }
        double sum = a + c;
        return sum + " " + b + " " + a.equals(3) + " " + c.equals(5L);
    }

    static String unboxed(String in) {
        Integer a = in.length() > 2 ? in.length() : null;
        int b = a;
        return "" + b;
    }

    static String bits(String in) {
        int a = seed(in);
        return Integer.toHexString(a) + " " + Integer.bitCount(a) + " " + Math.abs(a) + " " + Math.max(a, 3) + " " + Math.floorMod(a, 9);
    }
}
