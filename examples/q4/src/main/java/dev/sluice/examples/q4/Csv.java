package dev.sluice.examples.q4;

import java.util.ArrayList;
import java.util.List;

/** Splits one line of comma-separated values; quoted values don't span lines. */
final class Csv {
    private Csv() {}

    /**
     * The values of a line. A value whose first character is a quote runs to the next quote that is
     * not doubled, may contain commas, and must be followed by a comma or the end; a doubled quote in
     * it stands for one. Any other value runs to the next comma and is taken as it is, quotes and
     * spaces included.
     *
     * @return null when a quoted value has no end or is followed by anything but a comma
     */
    static List<String> split(String line) {
        List<String> values = new ArrayList<>();
        int at = 0;
        while (true) {
            if (at < line.length() && line.charAt(at) == '"') {
                StringBuilder value = new StringBuilder();
                at++;
                while (true) {
                    int quote = line.indexOf('"', at);
                    if (quote < 0) {
                        return null;
                    }
                    value.append(line, at, quote);
                    at = quote + 1;
                    if (at < line.length() && line.charAt(at) == '"') {
                        value.append('"');
                        at++;
                    } else {
                        break;
                    }
                }
                values.add(value.toString());
                if (at < line.length() && line.charAt(at) != ',') {
                    return null;
                }
            } else {
                int comma = line.indexOf(',', at);
                int end = comma < 0 ? line.length() : comma;
                values.add(line.substring(at, end));
                at = end;
            }
            if (at == line.length()) {
                return values;
            }
            at++;
        }
    }
}
