package dev.sluice.host;

/**
 * What is spoken on a connection. A message is its length (four bytes, big-endian, of what follows), a byte that says what it is,
 * and a body in Avro's encoding, but for numbers said to be fixed (four bytes, big-endian). The host answers each message before
 * the next; the first must be {@link #OPEN}. The client may go at any time.
 *
 * <p>{@link #OPEN}: jar:string, capture:string, schemas:array of string (Avro, JSON, of T(from)..T(to)), types:array of string
 * (entries of the capture, as many), steps:array of {kind:string, node:int, name:string, bound_ms:long}. The answer is
 * {@link #OPENED}, empty, or {@link #ERROR}.
 *
 * <p>{@link #RUN}: count:long, then so many events: delta:int, time:null|long, value:null|bytes. The answer is {@link #RAN}: count
 * fixed, then so many events: delta:int, time:null|long, size fixed (-1 for null), the value; then deaths:count long and so many
 * {delta:int, operator:string, reason:string}; watermark:null|long.
 *
 * <p>{@link #ERROR}: text:string.
 */
final class Protocol {
    /** Of the protocol; grows when it changes. */
    static final int VERSION = 1;

    static final byte OPEN = 1;
    static final byte RUN = 2;
    static final byte OPENED = 16;
    static final byte RAN = 17;
    static final byte ERROR = 18;

    /** Of a message; a frame has 8 MiB at most. */
    static final int MAX_BYTES = 64 << 20;

    private Protocol() {}

    /** What the host says on its output once it listens. */
    static String greeting(String flink) {
        return "sluice-host " + VERSION + " " + flink;
    }
}
