package dev.sluice.residual;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Who reads what in a job that is not translated yet. Flink keeps a transformation's inputs in private fields that nothing
 * can set, hence the reflection; it is the only place with any.
 */
final class Wiring {
    private final StreamExecutionEnvironment env;

    Wiring(StreamExecutionEnvironment env) {
        this.env = env;
    }

    /** Every transformation of the job, inputs before those who read them. */
    List<Transformation<?>> all() {
        Map<Transformation<?>, Boolean> seen = new IdentityHashMap<>();
        List<Transformation<?>> all = new ArrayList<>();
        List.copyOf(env.getTransformations()).forEach(transformation -> visit(transformation, seen, all));
        return all;
    }

    private static void visit(
            Transformation<?> transformation, Map<Transformation<?>, Boolean> seen, List<Transformation<?>> all) {
        if (seen.put(transformation, true) == null) {
            transformation.getInputs().forEach(input -> visit(input, seen, all));
            all.add(transformation);
        }
    }

    /** Takes transformations off the job's list; they stay in the job as long as something reads them. */
    void remove(Collection<Transformation<?>> transformations) {
        env.getTransformations().removeIf(each -> isIn(transformations, each));
    }

    /** By identity: a transformation's own equality is that of its settings. */
    static boolean isIn(Collection<Transformation<?>> transformations, Transformation<?> one) {
        return transformations.stream().anyMatch(each -> each == one);
    }

    /** Makes {@code reader} read {@code to} wherever it read {@code from}. */
    void redirect(Transformation<?> reader, Transformation<?> from, Transformation<?> to) {
        try {
            for (Class<?> type = reader.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        redirect(reader, field, from, to);
                    }
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("the inputs of '" + reader.getName() + "' can't be set", e);
        }
        if (isIn(reader.getInputs(), from)) {
            throw new IllegalStateException("the inputs of '" + reader.getName() + "', a "
                    + reader.getClass().getName() + ", are kept in a way that is not known");
        }
    }

    private void redirect(Transformation<?> reader, Field field, Transformation<?> from, Transformation<?> to)
            throws IllegalAccessException {
        field.setAccessible(true);
        Object value = field.get(reader);
        if (value == from) {
            field.set(reader, to);
        } else if (value instanceof DataStream<?> stream && stream.getTransformation() == from) {
            field.set(reader, new DataStream<>(env, to));
        } else if (value instanceof List<?> list && list.stream().anyMatch(each -> each == from)) {
            List<Object> redirected = new ArrayList<>(list);
            redirected.replaceAll(each -> each == from ? to : each);
            field.set(reader, redirected);
        }
    }

    /** What a transformation remembers of its predecessors does not hold any more. */
    void forgetPredecessors() {
        try {
            Field cache = Transformation.class.getDeclaredField("predecessorsCache");
            cache.setAccessible(true);
            for (Transformation<?> transformation : all()) {
                ((Map<?, ?>) cache.get(transformation)).clear();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Flink keeps predecessors in a way that is not known", e);
        }
    }

    /** Sets a private field of a transformation. */
    static void set(Transformation<?> transformation, String name, Object value) {
        try {
            Field field = transformation.getClass().getDeclaredField(name);
            field.setAccessible(true);
            field.set(transformation, value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    name + " of '" + transformation.getName() + "' can't be set in this Flink", e);
        }
    }
}
