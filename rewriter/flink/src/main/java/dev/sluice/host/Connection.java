package dev.sluice.host;

import dev.sluice.avro.AvroInput;
import dev.sluice.avro.AvroOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** One chain and its client; ends with the client. */
final class Connection implements Runnable {
    private static final int HEADER_BYTES = 5;
    /** Of one read or write, so that the buffers that the JVM keeps for a thread stay small. */
    private static final int CHUNK_BYTES = 128 << 10;
    /** A buffer that grew larger than this for a message is given up behind it. */
    private static final int KEPT_BYTES = 1 << 20;

    private final SocketChannel channel;
    private final Loaders loaders;
    private byte[] request = new byte[64 << 10];
    private AvroOutput answer = new AvroOutput(64 << 10);
    private Chain chain;

    Connection(SocketChannel channel, Loaders loaders) {
        this.channel = channel;
        this.loaders = loaders;
    }

    @Override
    public void run() {
        try (channel) {
            while (true) {
                readFully(HEADER_BYTES);
                AvroInput header = new AvroInput(request, 0);
                int length = header.readFixedInt() - 1;
                byte kind = request[Integer.BYTES];
                if (length < 0 || length > Protocol.MAX_BYTES) {
                    throw new IOException("a message of " + length + " bytes");
                }
                readFully(length);
                answer(kind, length);
                write();
                release();
            }
        } catch (EOFException e) {
            // The client is done with the chain.
        } catch (IOException e) {
            System.err.println("a connection broke: " + e);
        } finally {
            close();
        }
    }

    private void answer(byte kind, int length) {
        AvroInput in = new AvroInput(request, 0);
        in.reset(request, 0, length);
        begin(kind == Protocol.RUN ? Protocol.RAN : Protocol.OPENED);
        try {
            if (kind == Protocol.OPEN && chain == null) {
                chain = new Chain(Spec.read(in), loaders);
            } else if (kind == Protocol.RUN && chain != null) {
                chain.run(request, in, answer);
            } else {
                throw new IllegalStateException("a message of kind " + kind + " can't come here");
            }
        } catch (Exception | LinkageError e) {
            begin(Protocol.ERROR);
            answer.writeString(Reasons.of(e));
        }
        answer.setFixedInt(0, answer.position() - Integer.BYTES);
    }

    private void begin(byte kind) {
        answer.rewind(0);
        answer.writeFixedInt(0);
        answer.writeRaw(new byte[] {kind}, 0, 1);
    }

    private void readFully(int length) throws IOException {
        if (request.length < length) {
            request = new byte[length];
        }
        int at = 0;
        while (at < length) {
            int read = channel.read(ByteBuffer.wrap(request, at, Math.min(length - at, CHUNK_BYTES)));
            if (read < 0) {
                throw new EOFException();
            }
            at += read;
        }
    }

    private void write() throws IOException {
        int at = 0;
        while (at < answer.position()) {
            at += channel.write(ByteBuffer.wrap(answer.array(), at, Math.min(answer.position() - at, CHUNK_BYTES)));
        }
    }

    private void release() {
        if (request.length > KEPT_BYTES) {
            request = new byte[KEPT_BYTES];
        }
        if (answer.array().length > KEPT_BYTES) {
            answer = new AvroOutput(KEPT_BYTES);
        }
    }

    private void close() {
        try {
            if (chain != null) {
                chain.close();
            }
        } catch (Exception e) {
            System.err.println("a function did not close: " + e);
        }
    }
}
