package dev.sluice.source;

import dev.sluice.avro.MalformedException;
import dev.sluice.progress.FrameInfo;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Makes items of the records of an {@code out} topic. */
final class FrameRecords {
    private static final byte[] NO_VALUE = {};

    private final FrameDecoder decoder;

    FrameRecords(FrameDecoder decoder) {
        this.decoder = decoder;
    }

    /** The slices of the record's frame, or what is known of a record that is none. */
    List<Item> items(ConsumerRecord<byte[], byte[]> record) {
        byte[] message = record.value() == null ? NO_VALUE : record.value();
        try {
            return FrameSlicer.cut(decoder.decode(message), record.timestamp(), record.offset(), message.length);
        } catch (MalformedException e) {
            return List.of(new Item.Unreadable(
                    record.key() == null ? "" : text(record.key()),
                    message,
                    record.partition(),
                    record.offset(),
                    record.timestamp(),
                    e.getMessage(),
                    range(record)));
        }
    }

    /** The range that the headers name; null when they don't. */
    private static FrameInfo range(ConsumerRecord<byte[], byte[]> record) {
        Header device = record.headers().lastHeader("device");
        if (device == null || device.value() == null || device.value().length == 0) {
            return null;
        }
        try {
            long incarnation = number(record, "incarnation");
            long first = number(record, "first");
            long last = number(record, "last");
            if (incarnation < 0 || first < 0 || last < first) {
                return null;
            }
            return FrameSlicer.unreadable(
                    text(device.value()), incarnation, first, last, record.timestamp(), record.offset());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long number(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return Long.parseLong(header == null || header.value() == null ? "" : text(header.value()));
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
