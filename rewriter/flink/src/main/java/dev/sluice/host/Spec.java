package dev.sluice.host;

import dev.sluice.avro.AvroInput;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A chain as its client wants it.
 *
 * @param jar the user's
 * @param capture of the job
 * @param schemas Avro, of T(from)..T(to)
 * @param types entries of the capture with the Java types; empty for the texts or bytes of the source
 * @param steps operators, and the assigner where it stands
 */
record Spec(Path jar, Path capture, List<String> schemas, List<String> types, List<StepSpec> steps) {
    /**
     * A step.
     *
     * @param kind as in {@code schemas/DeployedQuery.avsc}
     * @param node of the captured graph
     * @param name for people
     * @param boundMs of an assigner: the bound of the out-of-orderness
     */
    record StepSpec(String kind, int node, String name, long boundMs) {
        boolean isAssigner() {
            return kind.equals("assigner");
        }
    }

    static Spec read(AvroInput in) {
        Path jar = Path.of(in.readString());
        Path capture = Path.of(in.readString());
        Spec spec = new Spec(
                jar,
                capture,
                list(in, AvroInput::readString),
                list(in, AvroInput::readString),
                list(in, i -> new StepSpec(i.readString(), i.readInt(), i.readString(), i.readLong())));
        long operators = spec.steps.stream().filter(step -> !step.isAssigner()).count();
        if (spec.schemas.size() != operators + 1 || spec.types.size() != operators + 1) {
            throw new IllegalArgumentException(operators + " operators need " + (operators + 1) + " types and schemas");
        }
        return spec;
    }

    private static <T> List<T> list(AvroInput in, Function<AvroInput, T> element) {
        List<T> list = new ArrayList<>();
        for (int count = in.readBlock(1); count > 0; count = in.readBlock(1)) {
            for (int i = 0; i < count; i++) {
                list.add(element.apply(in));
            }
        }
        return list;
    }
}
