import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** java.util.regex, and String's methods that take patterns. */
final class RegexCalls {
    private RegexCalls() {}

    static void add(Map<String, Calls.Call> calls) {
        calls.put("split", a -> a.s(0).split(a.s(1), a.i(2)));
        calls.put("replaceAll", a -> a.s(0).replaceAll(a.s(1), a.s(2)));
        calls.put("replaceFirst", a -> a.s(0).replaceFirst(a.s(1), a.s(2)));
        calls.put("matches", a -> a.s(0).matches(a.s(1)));
        calls.put("find", a -> {
            Matcher matcher = Pattern.compile(a.s(1), a.i(2)).matcher(a.s(0));
            StringBuilder all = new StringBuilder();
            while (matcher.find()) {
                all.append(matcher.start()).append('-').append(matcher.end());
                for (int group = 0; group <= matcher.groupCount(); group++) {
                    all.append('|').append(matcher.group(group));
                }
                all.append(';');
            }
            return all.toString();
        });
        calls.put("lookingAt", a -> {
            Matcher matcher = Pattern.compile(a.s(1), a.i(2)).matcher(a.s(0));
            return matcher.lookingAt() ? matcher.group() : null;
        });
    }
}
