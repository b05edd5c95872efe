package dev.sluice.source;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.Confluent;
import dev.sluice.avro.MalformedException;
import dev.sluice.codec.ValueCodec;
import dev.sluice.progress.FrameKind;
import dev.sluice.progress.PartitionProgress;
import dev.sluice.progress.Previous;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Decodes the frames of one input's {@code out} topic; field by field as {@code schemas/Frame.avsc} has them. */
final class FrameDecoder {
    /** In the order of the schema's symbols. */
    private static final FrameKind[] KINDS = {FrameKind.DATA, FrameKind.HEARTBEAT, FrameKind.GAP, FrameKind.LEAVE};

    /** Its delta and two absent values. */
    private static final int MIN_EVENT_BYTES = 3;

    private final int schemaId;
    private final int operators;
    private final ValueCodec values;

    /**
     * @param type of the events' values; an {@link IllegalArgumentException} when the input's schema does not fit it
     */
    FrameDecoder(DeployedInput input, TypeInformation<?> type) {
        this.schemaId = input.frameSchemaId();
        this.operators = input.operators();
        this.values = ValueCodec.of(type, new Schema.Parser().parse(input.valueSchema()));
    }

    /** The frame of a message; a {@link MalformedException} when it is none. */
    Frame decode(byte[] message) {
        if (!Confluent.isFramed(message)) {
            throw new MalformedException("no header of the wire format");
        }
        if (Confluent.schemaId(message) != schemaId) {
            throw new MalformedException("schema id " + Confluent.schemaId(message) + ", expected " + schemaId);
        }
        AvroInput in = new AvroInput(message, Confluent.HEADER_BYTES);
        Frame frame = read(in, message);
        if (!in.atEnd()) {
            throw new MalformedException((message.length - in.position()) + " bytes too many");
        }
        return frame;
    }

    private Frame read(AvroInput in, byte[] message) {
        FrameKind kind = KINDS[in.readIndex(KINDS.length)];
        String device = in.readString();
        long incarnation = in.readLong();
        Previous previous = in.readPresent() ? new Previous(in.readLong(), in.readLong()) : null;
        in.readLong(); // epoch
        in.readInt(); // left_at
        int applied = in.readInt();
        long first = in.readLong();
        long last = in.readLong();
        long watermark = in.readPresent() ? in.readLong() : PartitionProgress.NO_WATERMARK;
        in.readInt(); // dead
        if (in.readPresent()) {
            in.readString(); // reason
        }
        in.readLong(); // dispatched_at
        check(kind, device, incarnation, applied, first, last);
        Events events = events(in, message, first, last);
        if (kind != FrameKind.DATA && events.to() > 0) {
            throw new MalformedException("events in a frame of kind " + kind);
        }
        return new Frame(kind, device, incarnation, previous, first, last, watermark, events);
    }

    private void check(FrameKind kind, String device, long incarnation, int applied, long first, long last) {
        if (device.isEmpty() || incarnation < 0) {
            throw new MalformedException("device '" + device + "', incarnation " + incarnation);
        }
        boolean ranged = kind == FrameKind.DATA || kind == FrameKind.GAP;
        if (ranged ? first < 0 || last < first : last < -1 || first != last + 1) {
            throw new MalformedException("range " + first + ".." + last + " of a frame of kind " + kind);
        }
        if (kind == FrameKind.DATA && applied != operators) {
            throw new MalformedException(applied + " operators applied, expected " + operators);
        }
    }

    private Events events(AvroInput in, byte[] message, long first, long last) {
        int count = in.readBlock(MIN_EVENT_BYTES);
        if (count == 0) {
            return Events.NONE;
        }
        long[] seqs = new long[count];
        long[] times = new long[count];
        Object[] decoded = new Object[count];
        int[] starts = new int[count];
        int[] ends = new int[count];
        int at = 0;
        while (count > 0) {
            for (int end = at + count; at < end; at++) {
                seqs[at] = first + in.readInt();
                long behind = at == 0 ? first : seqs[at - 1];
                if (seqs[at] < behind || seqs[at] > last) {
                    throw new MalformedException("seq " + seqs[at] + " is not in " + behind + ".." + last);
                }
                times[at] = in.readPresent() ? in.readLong() : Events.NO_TIME;
                boolean present = in.readPresent();
                starts[at] = in.position();
                decoded[at] = present ? values.decode(in) : null;
                ends[at] = in.position();
            }
            count = in.readBlock(MIN_EVENT_BYTES);
            if (count > 0) {
                seqs = Arrays.copyOf(seqs, at + count);
                times = Arrays.copyOf(times, at + count);
                decoded = Arrays.copyOf(decoded, at + count);
                starts = Arrays.copyOf(starts, at + count);
                ends = Arrays.copyOf(ends, at + count);
            }
        }
        return new Events(message, 0, at, seqs, times, decoded, starts, ends);
    }
}
