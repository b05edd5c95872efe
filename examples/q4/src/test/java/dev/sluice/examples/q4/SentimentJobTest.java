package dev.sluice.examples.q4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentimentJobTest {
    private static final long HOUR = 1_388_534_400_000L;
    private static final long HOUR_MS = 3_600_000;
    private static final String END = "END";

    static List<String> run(List<String> lines, int parallelism) throws Exception {
        List<String> results = new ArrayList<>();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
        // Flink has no source without elements.
        List<String> ended = new ArrayList<>(lines);
        ended.add(END);
        DataStream<String> input = env.fromData(ended, Types.STRING).filter(line -> !line.equals(END));
        try (CloseableIterator<String> result =
                SentimentJob.hours(SentimentJob.moods(input)).executeAndCollect()) {
            result.forEachRemaining(results::add);
        }
        Collections.sort(results);
        return results;
    }

    private static List<String> run(String... lines) throws Exception {
        return run(List.of(lines), 1);
    }

    @Test
    void topicsAndHours() throws Exception {
        assertEquals(
                List.of(
                        "-," + HOUR + ",2,0,1,-4767,-2384",
                        "-," + (HOUR + HOUR_MS) + ",1,0,0,0,0",
                        "rain," + HOUR + ",2,1,1,-363,-182"),
                run(
                        "id,time,text",
                        "1,2014-01-01 00:00:00,\"Sad &lt;, http://x\"",
                        "2\t0\tjust @a word",
                        "3,2014-01-01 00:59:59,#Rain is sad",
                        "4,2014-01-01 00:58:00,#RAIN is good",
                        "5,2014-01-01 01:00:00,#1 &#39;",
                        "6,never,#rain is good"));
    }

    @Test
    void disorderWithinTheBoundChangesNothing() throws Exception {
        String[] ordered = {"58\t0\tgood", "59\t0\tbad", "67\t0\tgood"};
        assertEquals(run(ordered), run(ordered[2], ordered[0], ordered[1]));
    }

    @Test
    void timeMayJump() throws Exception {
        assertEquals(2, run("1\t0\tgood", "900000\t0\tgood").size());
    }

    @Test
    void emptyAndHeaderOnlyInputsGiveNothing() throws Exception {
        assertEquals(List.of(), run(List.of(), 1));
        assertEquals(List.of(), run(""));
        assertEquals(List.of(), run("\uFEFFid,time,text\r"));
    }

    @ParameterizedTest
    @CsvSource({
        "no topic,-",
        "#One and #two,one",
        "so #1 #2go,2go",
        "# #_ #été!,été",
        "x#y,y",
        "#ff: @a,ff",
    })
    void topicIsTheFirstHashtagWithALetter(String text, String topic) {
        assertEquals(topic, Mood.topic(text));
    }

    @Test
    void keyOfALine() {
        assertEquals("rain", SentimentJob.topicOf("rain,0,1,1,0,5,5"));
    }

    @Test
    void argumentsAreChecked() {
        assertEquals(3, Args.parse("--parallelism", "3").parallelism);
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--nonsense", "1"));
        assertThrows(IllegalArgumentException.class, () -> Args.parse("--group"));
        assertThrows(IllegalArgumentException.class, () -> Args.required("--brokers", null));
    }
}
