package dev.sluice.equivalence;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.SourceFunction;

/** A source of the old kind, written by the user. */
public final class LegacySource {
    private LegacySource() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.addSource(new Two(), "sentences")
                .map(String::toUpperCase)
                .filter(line -> line.length() > 2)
                .print();
        env.execute("legacy source");
    }

    private static final class Two implements SourceFunction<String> {
        private static final long serialVersionUID = 1;

        @Override
        public void run(SourceContext<String> context) {
            context.collect("one");
            context.collect("two");
        }

        @Override
        public void cancel() {
            // It ends soon.
        }
    }
}
