package dev.sluice.host;

/** Why an event died, for people. */
final class Reasons {
    private static final int MAX_CHARS = 1000;
    private static final String[] NOT_THE_USERS = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.apache.flink.", "dev.sluice.host.", "dev.sluice.codec."
    };

    private Reasons() {}

    /** Class, message and the place in the user's code. */
    static String of(Throwable death) {
        String reason = death instanceof dev.sluice.codec.RefusedException ? death.getMessage() : death.toString();
        for (StackTraceElement frame : death.getStackTrace()) {
            if (isUsers(frame.getClassName())) {
                reason += " at " + frame.getClassName() + "." + frame.getMethodName() + place(frame);
                break;
            }
        }
        reason = reason.length() > MAX_CHARS ? reason.substring(0, MAX_CHARS) : reason;
        return withoutLoneSurrogates(reason);
    }

    private static String place(StackTraceElement frame) {
        return frame.getFileName() == null ? "" : "(" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
    }

    private static boolean isUsers(String name) {
        for (String prefix : NOT_THE_USERS) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    /** The message may quote what can't be written. */
    private static String withoutLoneSurrogates(String text) {
        return new String(
                text.getBytes(java.nio.charset.StandardCharsets.UTF_8), java.nio.charset.StandardCharsets.UTF_8);
    }
}
