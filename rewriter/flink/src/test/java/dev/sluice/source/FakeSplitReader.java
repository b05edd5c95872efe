package dev.sluice.source;

import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;

/** Hands over what a test gives it, and knows when the reader has taken everything. */
final class FakeSplitReader implements SplitReader<Item, FrameSplit> {
    private static final Batch WAKE_UP = new Batch("", List.of(), new AtomicLong());

    private final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();
    private final AtomicLong missing = new AtomicLong();

    /** The next items of a split. */
    void give(String split, List<Item> items) {
        missing.addAndGet(items.size());
        batches.add(new Batch(split, items, missing));
    }

    /** Whether the reader took every item. */
    boolean isDrained() {
        return missing.get() == 0;
    }

    @Override
    public RecordsWithSplitIds<Item> fetch() {
        try {
            Batch batch = batches.poll(1, TimeUnit.SECONDS);
            return batch == null ? WAKE_UP : batch;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return WAKE_UP;
        }
    }

    @Override
    public void handleSplitsChanges(SplitsChange<FrameSplit> change) {}

    @Override
    public void wakeUp() {
        batches.add(WAKE_UP);
    }

    @Override
    public void close() {}

    private static final class Batch implements RecordsWithSplitIds<Item> {
        private final Iterator<Item> items;
        private final AtomicLong missing;
        private String split;

        Batch(String split, List<Item> items, AtomicLong missing) {
            this.split = items.isEmpty() ? null : split;
            this.items = items.iterator();
            this.missing = missing;
        }

        @Override
        public String nextSplit() {
            String next = split;
            split = null;
            return next;
        }

        @Override
        public Item nextRecordFromSplit() {
            if (!items.hasNext()) {
                return null;
            }
            missing.decrementAndGet();
            return items.next();
        }

        @Override
        public Set<String> finishedSplits() {
            return Set.of();
        }
    }
}
