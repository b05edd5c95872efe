package dev.sluice.residual;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of events and watermarks, what local runs read and record; its form is in the README. Numbers are big-endian.
 */
final class EventFile {
    /** What begins an event's entry. */
    private static final int EVENT = 1;

    /** What begins a watermark's entry. */
    private static final int WATERMARK = 2;

    private EventFile() {}

    /** An entry. */
    sealed interface Entry {}

    /**
     * An event.
     *
     * @param timeMs epoch ms; null for none
     * @param value its Avro bytes; null for a null
     */
    record Event(Long timeMs, byte[] value) implements Entry {}

    /** A watermark, epoch ms. */
    record Watermark(long ms) implements Entry {}

    /** Reads entries in order. */
    static final class Reader implements Closeable {
        private final Path file;
        private final DataInputStream in;

        Reader(Path file) throws IOException {
            this.file = file;
            this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)));
        }

        /** The next entry; null at the end. */
        Entry next() throws IOException {
            int kind = in.read();
            return switch (kind) {
                case -1 -> null;
                case EVENT -> event();
                case WATERMARK -> new Watermark(in.readLong());
                default -> throw new IOException(file + " has an entry of kind " + kind);
            };
        }

        private Event event() throws IOException {
            boolean hasTime = in.readBoolean();
            long timeMs = in.readLong();
            int length = in.readInt();
            byte[] value = length < 0 ? null : in.readNBytes(length);
            if (value != null && value.length < length) {
                throw new IOException(file + " ends inside an event");
            }
            return new Event(hasTime ? timeMs : null, value);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** Writes entries in order. */
    static final class Writer implements Closeable {
        private final DataOutputStream out;

        Writer(Path file) throws IOException {
            this.out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
        }

        void write(Entry entry) throws IOException {
            if (entry instanceof Watermark watermark) {
                out.writeByte(WATERMARK);
                out.writeLong(watermark.ms);
            } else if (entry instanceof Event event) {
                out.writeByte(EVENT);
                out.writeBoolean(event.timeMs != null);
                out.writeLong(event.timeMs == null ? 0 : event.timeMs);
                out.writeInt(event.value == null ? -1 : event.value.length);
                if (event.value != null) {
                    out.write(event.value);
                }
            }
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
