package dev.sluice.source;

import dev.sluice.kafka.Clients;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** The partitions of an input's {@code out} topic and where they begin. */
final class FrameTopic {
    private static final long TIMEOUT_SECONDS = 30;

    private FrameTopic() {}

    /** A split of each partition, from its earliest offset. */
    static List<FrameSplit> discover(Map<String, String> kafka, DeployedInput input) throws Exception {
        String topic = input.outTopic();
        try (Admin admin = Clients.admin(kafka, input.group() + ".discovery")) {
            Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
            for (int partition = 0; partition < input.partitions(); partition++) {
                earliest.put(new TopicPartition(topic, partition), OffsetSpec.earliest());
            }
            int partitions = admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .get(topic)
                    .partitions()
                    .size();
            if (partitions != input.partitions()) {
                throw new IllegalStateException(
                        topic + " has " + partitions + " partitions, deployed with " + input.partitions());
            }
            List<FrameSplit> splits = new ArrayList<>();
            admin.listOffsets(earliest)
                    .all()
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .forEach((at, offset) -> splits.add(FrameSplit.unread(topic, at.partition(), offset.offset())));
            return splits;
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "topic " + topic + ": " + e.getCause().getMessage(), e.getCause());
        }
    }
}
