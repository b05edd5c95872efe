package dev.sluice.residual;

import dev.sluice.avro.AvroOutput;
import dev.sluice.codec.ValueCodec;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Stands behind a movable prefix and writes what comes out of it, watermarks too, as an {@link EventFile}. */
final class RecordBoundary<T> extends AbstractStreamOperator<T> implements OneInputStreamOperator<T, T> {
    private static final long serialVersionUID = 1;

    private final String file;
    private final TypeInformation<T> type;
    private final String schema;
    private transient ValueCodec codec;
    private transient AvroOutput bytes;
    private transient EventFile.Writer out;

    RecordBoundary(Path file, TypeInformation<T> type, String schema) {
        this.file = file.toString();
        this.type = type;
        this.schema = schema;
    }

    @Override
    public void open() throws Exception {
        super.open();
        codec = ValueCodec.of(type, new Schema.Parser().parse(schema));
        bytes = new AvroOutput(256);
        out = new EventFile.Writer(Path.of(file));
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        byte[] value = null;
        if (element.getValue() != null) {
            bytes.rewind(0);
            codec.encode(element.getValue(), bytes);
            value = bytes.toByteArray();
        }
        out.write(new EventFile.Event(element.hasTimestamp() ? element.getTimestamp() : null, value));
    }

    @Override
    public void processWatermark(Watermark watermark) throws Exception {
        // The end of the input says nothing about time.
        if (!watermark.equals(Watermark.MAX_WATERMARK)) {
            out.write(new EventFile.Watermark(watermark.getTimestamp()));
        }
    }

    @Override
    public void close() throws Exception {
        if (out != null) {
            out.close();
        }
        super.close();
    }
}
