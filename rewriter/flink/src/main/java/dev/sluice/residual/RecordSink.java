package dev.sluice.residual;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Stands in the place of a sink: writes a line for each record, its time (or {@code -}), the bytes that Flink's serializer
 * makes of it in hexadecimal (or {@code null}), and what it says of itself.
 */
final class RecordSink<T> extends AbstractStreamOperator<T> implements OneInputStreamOperator<T, T> {
    private static final long serialVersionUID = 1;

    private final String file;
    private final TypeInformation<T> type;
    private transient TypeSerializer<T> serializer;
    private transient DataOutputSerializer bytes;
    private transient BufferedWriter out;

    RecordSink(Path file, TypeInformation<T> type) {
        this.file = file.toString();
        this.type = type;
    }

    @Override
    public void open() throws Exception {
        super.open();
        serializer = type.createSerializer(getExecutionConfig().getSerializerConfig());
        bytes = new DataOutputSerializer(256);
        // A text that is no UTF-8 must not fail the job.
        out = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(Path.of(file)), StandardCharsets.UTF_8));
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        T value = element.getValue();
        out.append(element.hasTimestamp() ? Long.toString(element.getTimestamp()) : "-")
                .append('\t')
                .append(value == null ? "null" : hex(value))
                .append('\t')
                .append(oneLine(String.valueOf(value)))
                .append('\n');
    }

    private String hex(T value) throws IOException {
        bytes.clear();
        serializer.serialize(value, bytes);
        return HexFormat.of().formatHex(bytes.getSharedBuffer(), 0, bytes.length());
    }

    private static String oneLine(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    @Override
    public void close() throws Exception {
        if (out != null) {
            out.close();
        }
        super.close();
    }
}
