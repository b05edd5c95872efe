package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import dev.sluice.avro.MalformedException;
import java.io.IOException;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** What Avro has no type for: the bytes of Flink's own serializer. */
final class SerializerCodec implements ValueCodec {
    private final TypeSerializer<Object> serializer;
    private final String where;
    private final DataOutputSerializer buffer = new DataOutputSerializer(64);

    @SuppressWarnings("unchecked")
    SerializerCodec(TypeInformation<?> type, String where) {
        this.serializer = (TypeSerializer<Object>) type.createSerializer(new ExecutionConfig().getSerializerConfig());
        this.where = where;
    }

    @Override
    public void encode(Object value, AvroOutput out) {
        buffer.clear();
        try {
            serializer.serialize(value, buffer);
        } catch (IOException e) {
            throw new RefusedException(where, e.toString());
        }
        out.writeBytes(buffer.getSharedBuffer(), 0, buffer.length());
    }

    @Override
    public Object decode(AvroInput in) {
        try {
            return serializer.deserialize(new DataInputDeserializer(in.readBytes()));
        } catch (IOException e) {
            throw new MalformedException(where + ": " + e);
        }
    }
}
