package dev.sluice.residual;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * From an operator's uid to its id and back. Flink makes the id of an operator without a uid from the job's structure, which a
 * cut changes, and offers no way to set it; the id of one with a uid is the Murmur3 hash (x64, 128 bits, seed 0) of the uid.
 * That function can be run backwards: for any first block of 16 bytes there is one second block that leads to the wanted hash,
 * and one in 65,536 of those is ASCII, hence a string.
 */
final class UidHash {
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final long ADD1 = 0x52dce729;
    private static final long ADD2 = 0x38495ab5;
    private static final long SHIFTED1 = 0xff51afd7ed558ccdL;
    private static final long SHIFTED2 = 0xc4ceb9fe1a85ec53L;
    private static final long NOT_ASCII = 0x8080808080808080L;
    private static final int BLOCK = 16;

    /** Eight of the character {@code 0}. */
    private static final long ZEROS = 0x3030303030303030L;

    private UidHash() {}

    /** The id of an operator with this uid. */
    static byte[] of(String uid) {
        byte[] bytes = uid.getBytes(StandardCharsets.UTF_8);
        ByteBuffer padded = littleEndian((bytes.length / BLOCK + 1) * BLOCK).put(0, bytes);
        long[] state = {0, 0};
        while (padded.position() + BLOCK <= bytes.length) {
            state = next(state, padded.getLong(), padded.getLong());
        }
        // What is left of the last block is not stirred in.
        long h1 = state[0] ^ mix1(padded.getLong());
        long h2 = state[1] ^ mix2(padded.getLong());
        return finish(h1 ^ bytes.length, h2 ^ bytes.length);
    }

    /** A uid of 32 ASCII characters whose operator has this id; always the same one. */
    static String uidFor(byte[] id) {
        ByteBuffer words = ByteBuffer.wrap(id).order(ByteOrder.LITTLE_ENDIAN);
        long[] end = unfinish(words.getLong(), words.getLong());
        end[0] ^= 2 * BLOCK;
        end[1] ^= 2 * BLOCK;
        for (long i = 0; ; i++) {
            long first = characters(i);
            long[] second = block(next(new long[] {0, 0}, first, ZEROS), end);
            if (((second[0] | second[1]) & NOT_ASCII) == 0) {
                ByteBuffer uid = littleEndian(2 * BLOCK);
                uid.putLong(first).putLong(ZEROS).putLong(second[0]).putLong(second[1]);
                return new String(uid.array(), StandardCharsets.US_ASCII);
            }
        }
    }

    private static ByteBuffer littleEndian(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Eight characters from {@code 0} to {@code ?}, for each four bits of a number. */
    private static long characters(long number) {
        long characters = ZEROS;
        for (int i = 0; i < Long.BYTES; i++) {
            characters |= (number >>> (4 * i) & 0xf) << (Byte.SIZE * i);
        }
        return characters;
    }

    /** The state behind a block. */
    private static long[] next(long[] state, long k1, long k2) {
        long h1 = (Long.rotateLeft(state[0] ^ mix1(k1), 27) + state[1]) * 5 + ADD1;
        long h2 = (Long.rotateLeft(state[1] ^ mix2(k2), 31) + h1) * 5 + ADD2;
        return new long[] {h1, h2};
    }

    /** The block between two states. */
    private static long[] block(long[] state, long[] next) {
        long h1 = Long.rotateRight((next[0] - ADD1) * inverse(5) - state[1], 27);
        long h2 = Long.rotateRight((next[1] - ADD2) * inverse(5) - next[0], 31);
        return new long[] {unmix1(h1 ^ state[0]), unmix2(h2 ^ state[1])};
    }

    private static long mix1(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long unmix1(long k) {
        return Long.rotateRight(k * inverse(C2), 31) * inverse(C1);
    }

    private static long mix2(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    private static long unmix2(long k) {
        return Long.rotateRight(k * inverse(C1), 33) * inverse(C2);
    }

    private static byte[] finish(long state1, long state2) {
        long h1 = avalanche(state1 + state2);
        long h2 = avalanche(state2 + state1 + state2);
        return littleEndian(BLOCK).putLong(h1 + h2).putLong(h2 + h1 + h2).array();
    }

    private static long[] unfinish(long hash1, long hash2) {
        long h2 = hash2 - hash1;
        long h1 = unavalanche(hash1 - h2);
        h2 = unavalanche(h2) - h1;
        return new long[] {h1 - h2, h2};
    }

    private static long avalanche(long k) {
        return shift(shift(shift(k) * SHIFTED1) * SHIFTED2);
    }

    private static long unavalanche(long k) {
        return shift(shift(shift(k) * inverse(SHIFTED2)) * inverse(SHIFTED1));
    }

    /** Its own inverse. */
    private static long shift(long k) {
        return k ^ (k >>> 33);
    }

    /** Modulo 2^64, of an odd number; Newton's iteration doubles the right bits, of which there are three at first. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
