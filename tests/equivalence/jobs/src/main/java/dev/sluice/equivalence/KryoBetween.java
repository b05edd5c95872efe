package dev.sluice.equivalence;

import java.io.Serializable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A class that Flink leaves to Kryo between operators that move. */
public final class KryoBetween {
    private KryoBetween() {}

    /** No default constructor, no setters, and a text that its class does not tell: nothing that anyone can look into. */
    public static final class Opaque implements Serializable {
        private static final long serialVersionUID = 1;
        private final Object text;
        private final int weight;

        Opaque(Object text, int weight) {
            this.text = text;
            this.weight = weight;
        }

        Opaque heavier() {
            return new Opaque(text, weight * 2);
        }
    }

    /** Runs the job. */
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Topics.lines("sentences"), WatermarkStrategy.noWatermarks(), "sentences")
                .map(line -> line.isEmpty() ? null : new Opaque(line, line.length()))
                .returns(Opaque.class)
                .filter(opaque -> opaque != null)
                .map(Opaque::heavier)
                .map(opaque -> opaque.text + "" + opaque.weight)
                .print();
        env.execute("a type for Kryo");
    }
}
