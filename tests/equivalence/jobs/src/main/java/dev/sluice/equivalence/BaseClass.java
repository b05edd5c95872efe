package dev.sluice.equivalence;

import org.apache.flink.streaming.api.datastream.DataStream;

/** The pipeline is built by a base class, its functions have one too. */
public final class BaseClass extends Pipeline {
    private BaseClass() {}

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        new BaseClass().run("base class");
    }

    @Override
    void finish(DataStream<String> lines) {
        lines.map(new Backwards())
                .keyBy(line -> line.charAt(0))
                .reduce((one, other) -> other)
                .print();
    }

    private static final class Backwards extends Step {
        private static final long serialVersionUID = 1;

        @Override
        String after(String line) {
            return new StringBuilder(line).reverse().toString();
        }
    }
}
