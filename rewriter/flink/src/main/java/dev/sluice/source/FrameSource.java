package dev.sluice.source;

import dev.sluice.kafka.Clients;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The source of a residual job: the events that came out of an input's movable prefix.
 *
 * @param <T> the events' type
 */
public final class FrameSource<T> implements Source<T, FrameSplit, FrameEnumeratorState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1;

    private final HashMap<String, String> kafka;
    private final DeployedInput input;
    private final TypeInformation<T> type;

    /**
     * @param kafka settings of the Kafka clients, at least {@code bootstrap.servers}
     * @param input what is read
     * @param type of the events; an {@link IllegalArgumentException} when the input's schema does not fit it
     */
    public FrameSource(Map<String, String> kafka, DeployedInput input, TypeInformation<T> type) {
        this.kafka = new HashMap<>(kafka);
        this.input = input;
        this.type = type;
        new FrameDecoder(input, type);
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return type;
    }

    @Override
    public SourceReader<T, FrameSplit> createReader(SourceReaderContext context) {
        String client = input.group() + "." + context.getIndexOfSubtask();
        FrameSourceMetrics metrics = new FrameSourceMetrics(context.metricGroup());
        SideTopics sideTopics = new SideTopics(input, () -> Clients.producer(kafka, client));
        return new FrameSourceReader<>(
                () -> new FrameSplitReader(
                        Clients.consumer(kafka, client),
                        new DeviceFollower(Clients.consumer(kafka, client + ".devices"), input),
                        new FrameDecoder(input, type),
                        System::currentTimeMillis),
                new FrameEmitter<>(sideTopics, metrics),
                sideTopics,
                new OffsetCommitter(input.group(), () -> Clients.admin(kafka, client)),
                metrics,
                input.limits(),
                context);
    }

    @Override
    public SplitEnumerator<FrameSplit, FrameEnumeratorState> createEnumerator(
            SplitEnumeratorContext<FrameSplit> context) {
        return restoreEnumerator(context, new FrameEnumeratorState(false, List.of()));
    }

    @Override
    public SplitEnumerator<FrameSplit, FrameEnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<FrameSplit> context, FrameEnumeratorState state) {
        return new FrameEnumerator(context, () -> FrameTopic.discover(kafka, input), state);
    }

    @Override
    public SimpleVersionedSerializer<FrameSplit> getSplitSerializer() {
        return new FrameSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<FrameEnumeratorState> getEnumeratorCheckpointSerializer() {
        return new FrameEnumeratorStateSerializer();
    }
}
