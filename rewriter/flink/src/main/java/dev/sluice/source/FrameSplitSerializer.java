package dev.sluice.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Splits as they stand in checkpoints. */
final class FrameSplitSerializer implements SimpleVersionedSerializer<FrameSplit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(FrameSplit split) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(split, out);
        }
        return bytes.toByteArray();
    }

    @Override
    public FrameSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("split state of version " + version + ", this one reads " + VERSION);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
            return read(in);
        }
    }

    static void write(FrameSplit split, DataOutputStream out) throws IOException {
        out.writeUTF(split.topic());
        out.writeInt(split.partition());
        out.writeLong(split.offset());
        out.writeLong(split.emittedMs());
        out.writeBoolean(split.progress() != null);
        if (split.progress() != null) {
            out.writeInt(split.progress().length);
            out.write(split.progress());
        }
    }

    static FrameSplit read(DataInputStream in) throws IOException {
        String topic = in.readUTF();
        int partition = in.readInt();
        long offset = in.readLong();
        long emittedMs = in.readLong();
        byte[] progress = in.readBoolean() ? in.readNBytes(in.readInt()) : null;
        return new FrameSplit(topic, partition, offset, emittedMs, progress);
    }
}
