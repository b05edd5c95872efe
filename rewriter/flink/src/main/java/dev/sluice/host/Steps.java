package dev.sluice.host;

import dev.sluice.host.Spec.StepSpec;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.streaming.api.functions.ProcessFunction;

/** Makes the steps of a chain and opens their functions. */
final class Steps {
    private final CaptureFile capture;
    private final Surroundings surroundings;

    Steps(CaptureFile capture, Surroundings surroundings) {
        this.capture = capture;
        this.surroundings = surroundings;
    }

    /** The step of an operator that gives {@code output}. */
    Step of(StepSpec spec, TypeInformation<?> output) throws Exception {
        return switch (spec.kind()) {
            case "map" -> map(spec);
            case "filter" -> filter(spec);
            case "flat_map" -> flatMap(spec);
            case "process" -> process(spec);
            case "project" -> projection(capture.projection(spec.node()), output.getTypeClass());
            case "schema" -> schema(spec);
            default -> throw new IllegalArgumentException("a step of kind " + spec.kind());
        };
    }

    /** The step of an assigner. */
    AssignerStep assigner(StepSpec spec) throws Exception {
        Object strategy = capture.strategy(spec.node());
        return AssignerStep.of(strategy, capture.isBounded(spec.node()), spec.boundMs(), surroundings);
    }

    /** A step whose function has been opened. */
    private abstract static class Opened implements Step {
        private final Function function;

        Opened(Function function) {
            this.function = function;
        }

        @Override
        public void close() throws Exception {
            FunctionUtils.closeFunction(function);
        }
    }

    private <F extends Function> F open(Class<F> type, StepSpec spec) throws Exception {
        F function = type.cast(capture.function(spec.node()));
        FunctionUtils.setFunctionRuntimeContext(function, surroundings.context(spec.name()));
        FunctionUtils.openFunction(function, new OpenContext() {});
        return function;
    }

    @SuppressWarnings("unchecked")
    private Step map(StepSpec spec) throws Exception {
        MapFunction<Object, Object> function = open(MapFunction.class, spec);
        return new Opened(function) {
            @Override
            public void run(Object value, long time, Output out) throws Exception {
                out.collect(function.map(value));
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Step filter(StepSpec spec) throws Exception {
        FilterFunction<Object> function = open(FilterFunction.class, spec);
        return new Opened(function) {
            @Override
            public void run(Object value, long time, Output out) throws Exception {
                if (function.filter(value)) {
                    out.collect(value);
                }
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Step flatMap(StepSpec spec) throws Exception {
        FlatMapFunction<Object, Object> function = open(FlatMapFunction.class, spec);
        return new Opened(function) {
            @Override
            public void run(Object value, long time, Output out) throws Exception {
                function.flatMap(value, out);
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Step process(StepSpec spec) throws Exception {
        ProcessFunction<Object, Object> function = open(ProcessFunction.class, spec);
        ProcessContext context = new ProcessContext(function);
        return new Opened(function) {
            @Override
            public void run(Object value, long time, Output out) throws Exception {
                context.setTime(time);
                function.processElement(value, context.get(), out);
            }
        };
    }

    private Step schema(StepSpec spec) throws Exception {
        @SuppressWarnings("unchecked")
        DeserializationSchema<Object> schema = (DeserializationSchema<Object>) capture.function(spec.node());
        schema.open(surroundings);
        return (value, time, out) -> schema.deserialize((byte[]) value, out);
    }

    private static Step projection(int[] fields, Class<?> tuple) throws NoSuchMethodException {
        var constructor = tuple.getDeclaredConstructor();
        return (value, time, out) -> {
            Tuple projected = (Tuple) constructor.newInstance();
            for (int i = 0; i < fields.length; i++) {
                projected.setField(((Tuple) value).getField(fields[i]), i);
            }
            out.collect(projected);
        };
    }
}
