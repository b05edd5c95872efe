package dev.sluice.source;

import dev.sluice.kafka.TableReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;

/** Follows {@code sluice.devices} from its beginning. */
final class DeviceFollower implements AutoCloseable {
    private final TableReader table;
    private final DeviceList devices;

    DeviceFollower(Consumer<byte[], byte[]> consumer, DeployedInput input) {
        this.table = new TableReader(consumer, DeviceList.TOPIC);
        this.devices = new DeviceList(input);
    }

    /** Whether the list as it stood at the first {@link #poll} was read to its end. */
    boolean isComplete() {
        return table.isComplete();
    }

    /** The joined devices of a partition. */
    Map<String, Boolean> joined(int partition) {
        return devices.joined(partition);
    }

    /** Reads on and returns what changed; waits for records only while the list is not complete. */
    List<DeviceList.Change> poll() {
        List<DeviceList.Change> changes = new ArrayList<>();
        table.poll().forEach(record -> changes.addAll(devices.apply(record.key(), record.value())));
        return changes;
    }

    /** Makes a running {@link #poll} return. Safe from any thread. */
    void wakeUp() {
        table.wakeUp();
    }

    @Override
    public void close() {
        table.close();
    }
}
