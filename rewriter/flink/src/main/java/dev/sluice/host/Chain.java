package dev.sluice.host;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import dev.sluice.codec.ValueCodec;
import dev.sluice.host.Output.Gathered;
import dev.sluice.host.Output.Written;
import dev.sluice.host.Spec.StepSpec;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A contiguous range of an input's operators. What comes out does not depend on where the chain was cut: an event passes a function
 * only when the one before has returned, so no function sees what goes wrong behind it. What throws is tried once more.
 */
final class Chain implements AutoCloseable {
    private record Death(int delta, String operator, String reason) {}

    private final Loaders.Lease lease;
    private final List<StepSpec> specs;
    private final Step[] steps;
    /** Between steps; the last is null, since what comes out there is written. */
    private final Gathered[] gathered;

    private final AssignerStep assigner;
    /** Null where the first function reads the source's bytes. */
    private final ValueCodec input;

    private final Written written;
    private final AvroInput value = new AvroInput(new byte[0], 0);
    private final List<Death> deaths = new ArrayList<>();
    /** The step that an event is in. */
    private int current;

    /** Loads and opens the functions; what is wrong with them is thrown. */
    Chain(Spec spec, Loaders loaders) throws Exception {
        this.lease = loaders.of(spec.jar());
        ClassLoader loader = lease.loader();
        Thread.currentThread().setContextClassLoader(loader);
        this.specs = spec.steps();
        this.steps = new Step[specs.size()];
        this.gathered = new Gathered[specs.size()];
        try (CaptureFile capture = new CaptureFile(spec.capture(), loader)) {
            ExecutionConfig config = capture.config();
            List<TypeInformation<?>> types = new ArrayList<>();
            for (int i = 0; i < spec.types().size(); i++) {
                types.add(capture.type(spec.types().get(i), spec.schemas().get(i)));
            }
            int last = types.size() - 1;
            boolean readsBytes = !specs.isEmpty() && specs.get(0).kind().equals("schema");
            this.input = readsBytes ? null : ValueCodec.of(types.get(0), schema(spec, 0));
            this.written = new Written(ValueCodec.of(types.get(last), schema(spec, last)));
            Steps make = new Steps(capture, new Surroundings(loader, config));
            AssignerStep found = null;
            int applied = 0;
            for (int i = 0; i < steps.length; i++) {
                if (specs.get(i).isAssigner()) {
                    steps[i] = found = make.assigner(specs.get(i));
                } else {
                    steps[i] = make.of(specs.get(i), types.get(++applied));
                }
                gathered[i] = i == steps.length - 1 ? null : new Gathered(serializer(types.get(applied), config));
            }
            this.assigner = found;
        } catch (Exception | LinkageError e) {
            close();
            throw e;
        }
    }

    private static Schema schema(Spec spec, int index) {
        return new Schema.Parser().parse(spec.schemas().get(index));
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> serializer(TypeInformation<?> type, ExecutionConfig config) {
        return (TypeSerializer<Object>) type.createSerializer(config.getSerializerConfig());
    }

    /** Runs the events of a frame and appends the answer's body. */
    void run(byte[] bytes, AvroInput in, AvroOutput out) {
        int countAt = out.position();
        out.writeFixedInt(0);
        written.begin(out);
        deaths.clear();
        if (assigner != null) {
            assigner.beginFrame();
        }
        int group = -1;
        int groupStart = 0;
        int groupCount = 0;
        boolean dead = false;
        for (long i = in.readLong(); i > 0; i--) {
            int delta = in.readInt();
            long time = in.readPresent() ? in.readLong() : Step.NO_TIME;
            int size = in.readPresent() ? in.readInt() : -1;
            int start = size < 0 ? 0 : in.skip(size);
            if (delta != group) {
                group = delta;
                groupStart = written.position();
                groupCount = written.count();
                dead = false;
                written.setDelta(delta);
            }
            if (!dead && !runEvent(delta, time, bytes, start, size)) {
                written.rewind(groupStart, groupCount);
                dead = true;
            }
        }
        out.setFixedInt(countAt, written.count());
        writeDeaths(out);
        long watermark = assigner == null ? Step.NO_TIME : assigner.watermark();
        out.writePresent(watermark != Step.NO_TIME);
        if (watermark != Step.NO_TIME) {
            out.writeLong(watermark);
        }
    }

    private void writeDeaths(AvroOutput out) {
        out.writeLong(deaths.size());
        for (Death death : deaths) {
            out.writeInt(death.delta);
            out.writeString(death.operator);
            out.writeString(death.reason);
        }
    }

    /** Whether the event lived. */
    private boolean runEvent(int delta, long time, byte[] bytes, int start, int size) {
        int position = written.position();
        int count = written.count();
        if (assigner != null) {
            assigner.beginEvent();
        }
        try {
            attempt(time, bytes, start, size);
            return true;
        } catch (Throwable first) {
            written.rewind(position, count);
        }
        try {
            attempt(time, bytes, start, size);
            return true;
        } catch (Throwable second) {
            deaths.add(new Death(
                    delta, specs.isEmpty() ? "identity" : specs.get(current).name(), Reasons.of(second)));
            return false;
        }
    }

    private void attempt(long time, byte[] bytes, int start, int size) throws Exception {
        current = 0;
        Object decoded = null;
        if (size >= 0) {
            value.reset(bytes, start, start + size);
            decoded = input == null ? value.readBytes() : input.decode(value);
        }
        if (steps.length == 1 && assigner != null && size >= 0) {
            // Nothing but the assigner: the value stays as it is.
            written.same(bytes, start, size, assigner.assign(decoded, time));
        } else {
            pass(0, decoded, time);
        }
    }

    private void pass(int step, Object event, long time) throws Exception {
        if (step == steps.length) {
            written.begin(time);
            written.collect(event);
            written.check();
            return;
        }
        current = step;
        Gathered next = gathered[step];
        Output out = next == null ? written : next;
        out.begin(time);
        steps[step].run(event, time, out);
        out.check();
        if (next != null) {
            for (int i = 0; i < next.size(); i++) {
                pass(step + 1, next.value(i), next.time(i));
            }
        }
    }

    @Override
    public void close() throws Exception {
        try {
            for (Step step : steps) {
                if (step != null) {
                    step.close();
                }
            }
        } finally {
            lease.close();
        }
    }
}
