package dev.sluice.host;

import dev.sluice.avro.AvroOutput;
import dev.sluice.codec.ValueCodec;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.util.Collector;

/**
 * What comes out of a step. It is taken as it is at that moment, since the function may use its object again; and what goes wrong
 * in taking it is kept, since the function may catch everything.
 */
abstract class Output implements Collector<Object> {
    private long time;
    private RuntimeException failure;

    /** Forgets what came before; what comes next has this time. */
    void begin(long time) {
        this.time = time;
        this.failure = null;
    }

    /** Throws what went wrong in taking the outputs since {@link #begin}. */
    void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The time of what comes next. */
    void setTime(long time) {
        this.time = time;
    }

    @Override
    public void collect(Object value) {
        if (failure == null) {
            try {
                take(value, time);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
    }

    @Override
    public void close() {}

    abstract void take(Object value, long time);

    /** For the next step: copies, as between two operators of Flink. */
    static final class Gathered extends Output {
        private final TypeSerializer<Object> serializer;
        private final List<Object> values = new ArrayList<>();
        private long[] times = new long[8];

        Gathered(TypeSerializer<Object> serializer) {
            this.serializer = serializer.isImmutableType() ? null : serializer;
        }

        @Override
        void begin(long time) {
            super.begin(time);
            values.clear();
        }

        @Override
        void take(Object value, long time) {
            if (values.size() == times.length) {
                times = java.util.Arrays.copyOf(times, times.length * 2);
            }
            times[values.size()] = time;
            values.add(serializer == null || value == null ? value : serializer.copy(value));
        }

        int size() {
            return values.size();
        }

        Object value(int index) {
            return values.get(index);
        }

        long time(int index) {
            return times[index];
        }
    }

    /** For the client: encoded. */
    static final class Written extends Output {
        private final ValueCodec codec;
        private AvroOutput out;
        private int delta;
        private int count;

        Written(ValueCodec codec) {
            this.codec = codec;
        }

        /** Begins an answer. */
        void begin(AvroOutput out) {
            this.out = out;
            this.count = 0;
        }

        /** What comes next is of the event of this delta. */
        void setDelta(int delta) {
            this.delta = delta;
        }

        int position() {
            return out.position();
        }

        int count() {
            return count;
        }

        /** Forgets what was written since there were so many events. */
        void rewind(int position, int count) {
            out.rewind(position);
            this.count = count;
        }

        @Override
        void take(Object value, long time) {
            int before = out.position();
            try {
                int at = head(time);
                if (value != null) {
                    codec.encode(value, out);
                    out.setFixedInt(at, out.position() - at - Integer.BYTES);
                }
            } catch (RuntimeException e) {
                out.rewind(before);
                throw e;
            }
        }

        /** An event whose value stayed as it came. */
        void same(byte[] bytes, int start, int length, long time) {
            int at = head(time);
            out.writeRaw(bytes, start, length);
            out.setFixedInt(at, length);
        }

        /** Where its size is to stand, which is that of null so far. */
        private int head(long time) {
            out.writeInt(delta);
            out.writePresent(time != Step.NO_TIME);
            if (time != Step.NO_TIME) {
                out.writeLong(time);
            }
            int at = out.position();
            out.writeFixedInt(-1);
            count++;
            return at;
        }
    }
}
