package dev.sluice.avro;

/** Reads one value of a fixed type. */
@FunctionalInterface
public interface ValueDecoder {
    /** The next value, which may be null; a {@link MalformedException} when there is none. */
    Object read(AvroInput in);
}
