package dev.sluice.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The enumerator's state as it stands in checkpoints. */
final class FrameEnumeratorStateSerializer implements SimpleVersionedSerializer<FrameEnumeratorState> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(FrameEnumeratorState state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeBoolean(state.discovered());
            out.writeInt(state.unassigned().size());
            for (FrameSplit split : state.unassigned()) {
                FrameSplitSerializer.write(split, out);
            }
        }
        return bytes.toByteArray();
    }

    @Override
    public FrameEnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("enumerator state of version " + version + ", this one reads " + VERSION);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
            boolean discovered = in.readBoolean();
            int count = in.readInt();
            List<FrameSplit> unassigned = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                unassigned.add(FrameSplitSerializer.read(in));
            }
            return new FrameEnumeratorState(discovered, unassigned);
        }
    }
}
