//! What the audit found, as it is shown.

use std::collections::BTreeMap;

use serde::Serialize;
use sluice_model::{DeviceId, Epoch};

use super::device::{DeviceAudit, Part, Tally};

/// The books of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Each device by its id.
    pub devices: BTreeMap<String, DeviceReport>,
    /// Seqs passed on by the cut at which they left the edge.
    pub cuts: BTreeMap<i32, i64>,
    /// Messages of `out` that are no frame.
    pub undecodable: u64,
    /// Copies in the dead topic of messages that are no frame.
    pub garbage: u64,
}

/// The books of a device. `dispatched = emitted + filtered + dead + gap + lost`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeviceReport {
    /// Incarnations that numbered an event.
    pub incarnations: u64,
    /// Seqs that the device is known to have dispatched.
    pub dispatched: i64,
    /// Of these, with at least one event in `out`.
    pub emitted: i64,
    /// Without an event.
    pub filtered: i64,
    /// Copied to the dead topic.
    pub dead: i64,
    /// Declared lost.
    pub gap: i64,
    /// Not accounted for.
    pub lost: i64,
    /// Seqs offered once more after they were covered; the reader drops them.
    pub replayed: i64,
    /// Accepted seqs that nothing names yet.
    pub outstanding: i64,
    /// How often the plan changed from one seq to the next.
    pub switches: u64,
    /// The stretches between switches.
    pub by_epoch: Vec<SwitchReport>,
    /// What should not be.
    pub problems: Vec<String>,
}

/// What was passed on under one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SwitchReport {
    /// The plan's epoch.
    pub epoch: i64,
    /// Seqs.
    pub dispatched: i64,
    /// See [`DeviceReport`].
    pub emitted: i64,
    /// See [`DeviceReport`].
    pub filtered: i64,
    /// See [`DeviceReport`].
    pub dead: i64,
    /// See [`DeviceReport`].
    pub gap: i64,
}

impl Report {
    pub(super) fn of(
        devices: &BTreeMap<DeviceId, DeviceAudit>,
        undecodable: u64,
        garbage: u64,
    ) -> Self {
        let mut cuts = BTreeMap::new();
        for part in devices.values().flat_map(DeviceAudit::parts) {
            *cuts.entry(part.left_at.0).or_default() += part.tally.seqs();
        }
        let devices = devices.iter().map(|(id, device)| (id.to_string(), device_report(device)));
        Self { devices: devices.collect(), cuts, undecodable, garbage }
    }

    /// Seqs that are not accounted for, of all devices.
    pub fn lost(&self) -> i64 {
        self.devices.values().map(|device| device.lost).sum()
    }

    /// Seqs offered once more, of all devices.
    pub fn replayed(&self) -> i64 {
        self.devices.values().map(|device| device.replayed).sum()
    }

    /// Changes of plan, of all devices.
    pub fn switches(&self) -> u64 {
        self.devices.values().map(|device| device.switches).sum()
    }

    /// The share of each cut, as `0:25.0%,3:75.0%`; `-` where nothing was passed on.
    pub fn cut_shares(&self) -> String {
        let all: i64 = self.cuts.values().sum();
        if all == 0 {
            return "-".to_owned();
        }
        let share = |(cut, seqs): (&i32, &i64)| {
            // In tenths of a percent, rounded down, so that they never sum to more than the whole.
            let tenths = i128::from(*seqs) * 1000 / i128::from(all);
            format!("{cut}:{}.{}%", tenths / 10, tenths % 10)
        };
        self.cuts.iter().map(share).collect::<Vec<_>>().join(",")
    }
}

impl DeviceAudit {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.incarnations.values().flat_map(|incarnation| &incarnation.parts)
    }
}

fn device_report(device: &DeviceAudit) -> DeviceReport {
    let mut tally = Tally::default();
    let mut by_epoch: BTreeMap<Epoch, Tally> = BTreeMap::new();
    for part in device.parts() {
        tally.add(part.tally);
        by_epoch.entry(part.epoch).or_default().add(part.tally);
    }
    let incarnations = || device.incarnations.values();
    let uncopied: i64 = incarnations().map(|i| i.uncopied()).sum();
    let mut problems = Vec::new();
    for (number, incarnation) in &device.incarnations {
        let partitions = &incarnation.partitions;
        if partitions.len() > 1 {
            problems.push(format!("incarnation {number} in partitions {partitions:?}; it has one"));
        }
    }
    if uncopied > 0 {
        problems.push(format!("{uncopied} dead events without a copy in the dead topic"));
    }
    DeviceReport {
        incarnations: incarnations().filter(|i| i.dispatched > 0).count() as u64,
        dispatched: incarnations().map(|i| i.dispatched).sum(),
        emitted: tally.emitted,
        filtered: tally.filtered,
        dead: tally.dead,
        gap: tally.gap,
        lost: incarnations().map(|i| i.lost()).sum(),
        replayed: incarnations().map(|i| i.replayed).sum(),
        outstanding: outstanding(device),
        switches: switches(device),
        by_epoch: by_epoch.into_iter().map(|(epoch, tally)| switch_report(epoch, tally)).collect(),
        problems,
    }
}

fn switch_report(epoch: Epoch, tally: Tally) -> SwitchReport {
    SwitchReport {
        epoch: epoch.0,
        dispatched: tally.seqs(),
        emitted: tally.emitted,
        filtered: tally.filtered,
        dead: tally.dead,
        gap: tally.gap,
    }
}

fn outstanding(device: &DeviceAudit) -> i64 {
    let Some((incarnation, next_seq)) = device.next_seq else { return 0 };
    let dispatched = device.incarnations.get(&incarnation).map_or(0, |i| i.dispatched);
    (next_seq - dispatched).max(0)
}

/// Counts the changes of epoch along the seqs.
fn switches(device: &DeviceAudit) -> u64 {
    let mut epochs = Vec::new();
    for incarnation in device.incarnations.values() {
        let mut parts: Vec<&Part> = incarnation.parts.iter().collect();
        parts.sort_by_key(|part| part.first);
        epochs.extend(parts.iter().map(|part| part.epoch));
    }
    epochs.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64
}
