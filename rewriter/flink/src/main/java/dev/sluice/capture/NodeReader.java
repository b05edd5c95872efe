package dev.sluice.capture;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.AbstractMultipleInputTransformation;
import org.apache.flink.streaming.api.transformations.BroadcastStateTransformation;
import org.apache.flink.streaming.api.transformations.KeyedBroadcastStateTransformation;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.api.transformations.LegacySinkTransformation;
import org.apache.flink.streaming.api.transformations.LegacySourceTransformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.PhysicalTransformation;
import org.apache.flink.streaming.api.transformations.ReduceTransformation;
import org.apache.flink.streaming.api.transformations.SideOutputTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.streaming.api.transformations.TimestampsAndWatermarksTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.streaming.api.transformations.UnionTransformation;

/** Describes a node by the class of its transformation. */
final class NodeReader {
    private final CapturedJob job;
    private final Map<Integer, String> hashes;
    private final Map<Integer, List<Graph.SideOutput>> tags;
    private final ClassLoader loader;

    NodeReader(
            CapturedJob job,
            Map<Integer, String> hashes,
            Map<Integer, List<Graph.SideOutput>> tags,
            ClassLoader loader) {
        this.job = job;
        this.hashes = hashes;
        this.tags = tags;
        this.loader = loader;
    }

    /** Describes one node. */
    Graph.Node read(Transformation<?> transformation) {
        return new Reading(transformation, job.id(transformation)).read();
    }

    /** What is known of one node. */
    private final class Reading {
        private final Transformation<?> transformation;
        private final int id;
        private String kind = "other";
        private String operator;
        private String operatorClass;
        private boolean keyed;
        private boolean eventTime;
        private String partitioning;
        private Graph.Function function;
        private Graph.Watermarks watermarks;
        private Graph.Source source;
        private String chaining;
        private boolean hasOutput = true;

        Reading(Transformation<?> transformation, int id) {
            this.transformation = transformation;
            this.id = id;
        }

        Graph.Node read() {
            look();
            String own = transformation.getUserProvidedNodeHash();
            return new Graph.Node(
                    id,
                    transformation.getName(),
                    transformation.getUid(),
                    transformation.getParallelism(),
                    transformation instanceof PhysicalTransformation<?> && transformation.isParallelismConfigured(),
                    transformation.getMaxParallelism(),
                    own != null ? own : hashes.get(transformation.getId()),
                    kind,
                    operator,
                    operatorClass,
                    transformation.getInputs().stream().map(job::id).toList(),
                    hasOutput ? TypeTree.of(transformation.getOutputType()) : null,
                    keyed || isKeyedByInput(),
                    eventTime,
                    partitioning,
                    tags.getOrDefault(id, List.of()),
                    function,
                    watermarks,
                    source,
                    chaining,
                    transformation
                            .getSlotSharingGroup()
                            .map(SlotSharingGroup::getName)
                            .orElse(null));
        }

        private void look() {
            if (transformation instanceof SourceTransformation<?, ?, ?> node) {
                kind = "source";
                source(node.getSource(), node.getSource().getBoundedness(), node.getOutputType());
                watermarks(node.getWatermarkStrategy());
                if (watermarks != null
                        && watermarks.timestamps().equals("record")
                        && Sources.isTimeless(node.getSource())) {
                    watermarks = null;
                }
            } else if (transformation instanceof LegacySourceTransformation<?> node) {
                kind = "legacy_source";
                legacySource(node);
            } else if (transformation instanceof TimestampsAndWatermarksTransformation<?> node) {
                kind = "timestamps";
                watermarks(node.getWatermarkStrategy());
            } else if (transformation instanceof OneInputTransformation<?, ?> node) {
                kind = "one_input";
                keyed = node.getStateKeySelector() != null;
                oneInput(node.getOperatorFactory());
            } else if (transformation instanceof TwoInputTransformation<?, ?, ?> node) {
                kind = "two_input";
                keyed = node.getStateKeySelector1() != null || node.getStateKeySelector2() != null;
                operator(node.getOperatorFactory());
            } else if (transformation instanceof AbstractMultipleInputTransformation<?> node) {
                kind = "multiple_input";
                keyed = node instanceof KeyedMultipleInputTransformation<?>;
                operator(node.getOperatorFactory());
            } else if (transformation instanceof BroadcastStateTransformation<?, ?, ?> node) {
                kind = "broadcast_state";
                function(node.getUserFunction());
            } else if (transformation instanceof KeyedBroadcastStateTransformation<?, ?, ?, ?> node) {
                kind = "broadcast_state";
                keyed = true;
                function(node.getUserFunction());
            } else if (transformation instanceof ReduceTransformation<?, ?> node) {
                kind = "reduce";
                keyed = true;
                function(node.getReducer());
            } else {
                lookAtTheRest();
            }
        }

        private void lookAtTheRest() {
            if (transformation instanceof PartitionTransformation<?> node) {
                kind = "partition";
                operatorClass = node.getPartitioner().getClass().getName();
                partitioning = Operators.partitioning(node.getPartitioner());
            } else if (transformation instanceof UnionTransformation<?>) {
                kind = "union";
            } else if (transformation instanceof SideOutputTransformation<?>) {
                kind = "side_output";
            } else if (transformation instanceof SinkTransformation<?, ?> node) {
                kind = "sink";
                operatorClass = node.getSink().getClass().getName();
                hasOutput = false;
            } else if (transformation instanceof LegacySinkTransformation<?> node) {
                kind = "legacy_sink";
                operator(node.getOperatorFactory());
                operatorClass = function == null ? operatorClass : function.type();
                hasOutput = false;
            } else {
                operatorClass = transformation.getClass().getName();
            }
        }

        private void oneInput(StreamOperatorFactory<?> factory) {
            operator = keyed ? "keyed" : Operators.kind(factory, loader);
            operator(factory);
            if (operator.equals("project")) {
                function = Functions.projection(factory, Operators.projection(factory));
            } else if (operator.equals("file_reader")) {
                source = files(transformation.getInputs().get(0), transformation);
            }
        }

        private void operator(StreamOperatorFactory<?> factory) {
            operatorClass = Operators.className(factory, loader);
            eventTime = Operators.needsEventTime(factory, loader);
            chaining = String.valueOf(factory.getChainingStrategy());
            Object udf = Operators.function(factory);
            if (udf != null) {
                function(udf);
            }
        }

        private void legacySource(LegacySourceTransformation<?> node) {
            operator(node.getOperatorFactory());
            Object udf = Operators.function(node.getOperatorFactory());
            function = null;
            Transformation<?> reader = udf != null && Operators.isFileMonitor(udf) ? onlyReader() : null;
            source = reader == null ? null : files(node, reader);
            if (source == null) {
                Object object = udf == null ? node.getOperatorFactory() : udf;
                source(object, node.getBoundedness(), node.getOutputType());
                watermarks(Sources.ownStrategy(object, loader));
            }
        }

        /** The one that reads this node, or null. */
        private Transformation<?> onlyReader() {
            List<Transformation<?>> readers = job.transformations().stream()
                    .filter(other -> other.getInputs().contains(transformation))
                    .toList();
            return readers.size() == 1 ? readers.get(0) : null;
        }

        private Graph.Source files(Transformation<?> lister, Transformation<?> reader) {
            Object monitor = lister instanceof LegacySourceTransformation<?> node
                    ? Operators.function(node.getOperatorFactory())
                    : null;
            Object format = reader instanceof OneInputTransformation<?, ?> node
                    ? Operators.fileFormat(node.getOperatorFactory())
                    : null;
            return monitor == null || format == null
                    ? null
                    : Sources.files(format, Operators.listsOnce(monitor), reader.getOutputType());
        }

        private void source(Object object, Boundedness boundedness, TypeInformation<?> output) {
            Sources.Described described = Sources.of(object, boundedness, output);
            source = described.source();
            if (described.schema() != null) {
                function(described.schema());
            }
        }

        private void function(Object object) {
            function = Functions.of(object, "functions/" + id + ".ser");
        }

        private void watermarks(WatermarkStrategy<?> strategy) {
            watermarks = Strategies.of(strategy, "watermarks/" + id + ".ser");
        }

        private boolean isKeyedByInput() {
            return !transformation.getInputs().isEmpty()
                    && transformation.getInputs().stream()
                            .allMatch(input -> input instanceof PartitionTransformation<?> partition
                                    && Operators.partitioning(partition.getPartitioner())
                                            .equals("hash"));
        }
    }
}
