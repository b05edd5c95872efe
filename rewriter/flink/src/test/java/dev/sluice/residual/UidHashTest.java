package dev.sluice.residual;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.junit.jupiter.api.Test;

class UidHashTest {
    /** What Flink makes of a uid. */
    private static byte[] flinks(String uid) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        var source = env.fromData(1).uid(uid);
        source.sinkTo(new DiscardingSink<>());
        StreamGraph graph = env.getStreamGraph(false);
        return new StreamGraphHasherV2()
                .traverseStreamGraphAndGenerateHashes(graph)
                .get(source.getId());
    }

    @Test
    void isThatOfFlink() {
        for (String uid :
                new String[] {"a", "q1.12.readings", "sixteen bytes..!", "twenty and four bytes...", "ä€𝄞"}) {
            assertArrayEquals(flinks(uid), UidHash.of(uid), uid);
        }
    }

    @Test
    void anyIdHasAUid() {
        Random random = new Random(11);
        for (int i = 0; i < 50; i++) {
            byte[] id = new byte[16];
            random.nextBytes(id);
            String uid = UidHash.uidFor(id);
            assertArrayEquals(id, UidHash.of(uid));
            assertEquals(uid, UidHash.uidFor(id));
        }
    }

    @Test
    void flinkTakesSuchAUid() {
        byte[] id = new byte[16];
        new Random(5).nextBytes(id);
        assertArrayEquals(id, flinks(UidHash.uidFor(id)));
    }
}
