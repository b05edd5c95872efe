package dev.sluice.equivalence;

import java.io.Serializable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** References to methods: of any object, of a class, of a given object, of a super class, and a constructor. */
public final class MethodReferences {
    private MethodReferences() {}

    /** A text in brackets. */
    public static class Bracketed {
        /** The text. */
        public String text;

        /** For Flink. */
        public Bracketed() {}

        /** Puts it in brackets. */
        public Bracketed(String text) {
            this.text = "[" + text + "]";
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final class Cut implements Serializable {
        private static final long serialVersionUID = 1;
        private final int length;

        private Cut(int length) {
            this.length = length;
        }

        private String apply(String text) {
            if (text.length() <= length) {
                return text;
            }
            return text.substring(0, Character.isLowSurrogate(text.charAt(length)) ? length - 1 : length);
        }
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Cut cut = new Cut(12);
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(String::strip)
                .filter(MethodReferences::isText)
                .map(cut::apply)
                .map(Bracketed::new)
                .map(Object::toString)
                .print();
        env.execute("method references");
    }

    private static boolean isText(String text) {
        return !text.isEmpty() && Character.isLetter(text.charAt(0));
    }
}
