//! The audit of an input's coverage: what its devices dispatched is emitted, filtered, dead or a declared gap, or it
//! is lost (DESIGN section 7, I1). Pure: frames of `out` in the order of their partition, copies in `dead`, statuses.

mod device;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sluice_model::{DeadEvent, DeviceId, DeviceStatus, Incarnation};
use sluice_wire::Frame;

use device::DeviceAudit;
#[cfg(test)]
pub use report::DeviceReport;
pub use report::Report;

/// Keeps the books of one input while its topics are read.
#[derive(Debug, Default)]
pub struct Audit {
    devices: BTreeMap<DeviceId, DeviceAudit>,
    /// Messages of `out` that are no frame.
    undecodable: u64,
    /// Copies in `dead` of messages that are no frame.
    garbage: u64,
}

impl Audit {
    /// Takes up a frame of `out`. Frames of one partition come in the order of the partition.
    pub fn handle_frame(&mut self, partition: i32, frame: &Frame<'_>) {
        let header = &frame.header;
        let device = self.devices.entry(header.device.clone()).or_default();
        if let Some(previous) = header.previous {
            device.incarnation(previous.incarnation).name_end(previous.end.0);
        }
        let incarnation = device.incarnation(header.incarnation);
        incarnation.partitions.insert(partition);
        incarnation.name_end(header.last.0);
        if header.kind.has_range() {
            incarnation.pass(frame);
        }
    }

    /// Takes up a message of `out` that is no frame.
    pub fn handle_garbage(&mut self) {
        self.undecodable += 1;
    }

    /// Takes up a copy in `dead` of something of this input.
    pub fn handle_dead(&mut self, event: &DeadEvent) {
        let device = DeviceId::new(event.device.as_str());
        let (Ok(device), Some(incarnation), Some(seq)) = (device, event.incarnation, event.seq)
        else {
            self.garbage += 1;
            return;
        };
        let device = self.devices.entry(device).or_default();
        device.incarnation(Incarnation(incarnation)).copies.insert((seq, event.crc32));
    }

    /// Takes up what a device says of itself.
    pub fn handle_status(&mut self, device: &DeviceId, status: &DeviceStatus) {
        let Some(incarnation) = status.incarnation else { return };
        let device = self.devices.entry(device.clone()).or_default();
        device.incarnation(incarnation).name_end(status.acked_seq);
        device.next_seq = Some((incarnation, status.next_seq));
    }

    /// The books as they stand.
    pub fn report(&self) -> Report {
        Report::of(&self.devices, self.undecodable, self.garbage)
    }
}
