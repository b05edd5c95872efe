package dev.sluice.codec;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Writes and reads values of one Flink type in Avro (docs/graph.md, "Values on the topics"). What is read back is what
 * Flink's own serializer would have made of the value: another object, with the classes that the type declares. Not for
 * several threads at once.
 */
public interface ValueCodec {
    /**
     * Appends a value; a {@link RefusedException} when it is one that can't travel, though its type can. What is in
     * {@code out} behind the position before is of no use then.
     */
    void encode(Object value, AvroOutput out);

    /** The next value; a {@link dev.sluice.avro.MalformedException} when there is none. */
    Object decode(AvroInput in);

    /**
     * The codec of a type.
     *
     * @param avro the schema that its values have on the topics
     * @throws IllegalArgumentException when the two do not fit; the message has the path to where
     */
    static ValueCodec of(TypeInformation<?> type, Schema avro) {
        String name = type.getTypeClass() == null
                ? type.toString()
                : type.getTypeClass().getSimpleName();
        return Codecs.of(type, avro, name);
    }
}
