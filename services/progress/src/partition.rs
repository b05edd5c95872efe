//! One partition: its devices, its clock and its watermark.

use std::collections::{HashMap, VecDeque};

use sluice_model::DeviceId;

use crate::device::DeviceProgress;
use crate::{
    Action, DeviceMetrics, DeviceSnapshot, Frame, GiveUpReason, Limits, Malformed,
    PartitionSnapshot,
};

/// The reader's state of one partition. Feed it [`frame`](Self::frame), [`skipped`](Self::skipped) and
/// [`tick`](Self::tick), and after each perform what [`next_action`](Self::next_action) returns until it is none; a
/// snapshot may be taken between any two actions. Frames wait here, with the caller's handle `T`, until they may be passed.
///
/// Laws (tested): each seq is passed at most once; with source order a device's seqs ascend, but for counted exceptions;
/// the watermark never falls, and when it rises it is at most the minimum over the active devices.
#[derive(Debug)]
pub struct PartitionProgress<T> {
    limits: Limits,
    /// Whether reading began without state behind a trimmed prefix.
    trimmed: bool,
    next_offset: i64,
    /// The partition clock: the highest append time processed; it runs on only while the partition is read to its end.
    clock_ms: Option<i64>,
    /// No record was read yet: the partition clock is the reader's, which may be off.
    provisional: bool,
    /// The reader's clock and the partition clock when the end was last reached.
    anchor_ms: Option<(i64, i64)>,
    watermark_ms: Option<i64>,
    devices: Vec<DeviceProgress<T>>,
    places: HashMap<DeviceId, usize>,
    /// Devices that may have something to do.
    ready: VecDeque<usize>,
    held_bytes: u64,
}

impl<T> PartitionProgress<T> {
    /// A partition that is read for the first time, from `start_offset`. It is `trimmed` if records before that existed:
    /// devices then settle from their first frame.
    #[must_use]
    pub fn new(limits: Limits, start_offset: i64, trimmed: bool) -> Self {
        Self {
            limits,
            trimmed,
            next_offset: start_offset,
            clock_ms: None,
            provisional: false,
            anchor_ms: None,
            watermark_ms: None,
            devices: Vec::new(),
            places: HashMap::new(),
            ready: VecDeque::new(),
            held_bytes: 0,
        }
    }

    /// A partition as [`snapshot`](Self::snapshot) gave it. Reading starts at the snapshot's offset.
    #[must_use]
    pub fn restore(limits: Limits, snapshot: PartitionSnapshot) -> Self {
        let mut progress = Self::new(limits, snapshot.offset, snapshot.trimmed);
        (progress.clock_ms, progress.watermark_ms) = (snapshot.clock_ms, snapshot.watermark_ms);
        for device in snapshot.devices {
            let place = progress.place(&device.device);
            progress.devices[place] = device.into_progress(
                snapshot.offset,
                snapshot.clock_ms.unwrap_or(0),
                &progress.limits,
            );
        }
        if progress.clock_ms.is_none() {
            progress.stop_clock();
        }
        progress
    }

    /// The state. Held frames are not part of it, they are read again: covered is only what was passed on.
    #[must_use]
    pub fn snapshot(&self) -> PartitionSnapshot {
        PartitionSnapshot {
            offset: self.checkpoint_offset(),
            trimmed: self.trimmed,
            clock_ms: self.clock_ms.filter(|_| !self.provisional),
            watermark_ms: self.watermark_ms,
            devices: self.devices.iter().map(DeviceSnapshot::of).collect(),
        }
    }

    /// The device is listed as joined on this partition: it holds time back for the start grace. Idempotent.
    pub fn joined(&mut self, device: &DeviceId) {
        let place = self.place(device);
        self.devices[place].join(self.clock_ms, &self.limits);
    }

    /// The device is listed as left, or not listed any more. If it was never seen, it holds time back no more.
    pub fn left(&mut self, device: &DeviceId) {
        if let Some(&place) = self.places.get(device) {
            self.devices[place].unlist();
        }
    }

    /// The next record, in the order of the partition, is this frame. Its handle comes back in a `Pass` or `Drop`; that of
    /// other kinds than data is forgotten.
    ///
    /// # Errors
    /// [`Malformed`] if its numbers contradict each other: then only clock and offset went on.
    pub fn frame(&mut self, frame: &Frame, handle: T) -> Result<(), Malformed> {
        let clock_ms = self.skipped(frame.append_time_ms, frame.next_offset);
        frame.check()?;
        let place = self.place(&frame.device);
        self.at(place, |device, limits, trimmed| {
            device.arrive(frame, handle, clock_ms, limits, trimmed)
        });
        self.ready.push_back(place);
        Ok(())
    }

    /// The next record is no frame and names no range: only clock and offset go on. Returns the partition clock.
    pub fn skipped(&mut self, append_time_ms: i64, next_offset: i64) -> i64 {
        self.next_offset = self.next_offset.max(next_offset);
        if std::mem::take(&mut self.provisional) {
            self.stop_clock();
        }
        self.run_clock_to(append_time_ms)
    }

    /// Time goes on: at `now_ms` of the reader's clock, of which only differences matter. The
    /// partition clock runs on only if the partition was proved to be `read_to_end` at that time, by asking for the end
    /// offset, so that backpressure and a hanging broker are never taken for silence.
    pub fn tick(&mut self, now_ms: i64, read_to_end: bool) {
        if read_to_end {
            let clock_ms = match (self.anchor_ms, self.clock_ms) {
                (Some((then_ms, clock_ms)), Some(_)) => clock_ms + (now_ms - then_ms),
                (None, Some(clock_ms)) => clock_ms,
                (_, None) => {
                    self.provisional = true;
                    now_ms
                }
            };
            self.anchor_ms = Some((now_ms, self.run_clock_to(clock_ms)));
        }
        let Some(clock_ms) = self.clock_ms else { return };
        for (place, device) in self.devices.iter_mut().enumerate() {
            if device.expire(clock_ms, &self.limits) {
                self.ready.push_back(place);
            }
        }
    }

    /// The next action, or none when there is nothing to do until the next input.
    pub fn next_action(&mut self) -> Option<Action<T>> {
        let clock_ms = self.clock_ms.unwrap_or(0);
        loop {
            while let Some(&place) = self.ready.front() {
                if let Some(action) =
                    self.at(place, |device, limits, _| device.step(clock_ms, limits))
                {
                    return Some(action);
                }
                self.ready.pop_front();
            }
            if self.held_bytes <= self.limits.held_bytes {
                return None;
            }
            let (place, _) =
                self.devices.iter().enumerate().max_by_key(|(_, device)| device.held.bytes())?;
            self.at(place, |device, limits, _| {
                device.give_up(GiveUpReason::HeldBytes, clock_ms, limits)
            });
            self.ready.push_back(place);
        }
    }

    /// Raises the partition's watermark to the minimum over its active devices, and returns it: what may be emitted now. It
    /// never falls; while the partition is idle it stands.
    pub fn advance_watermark(&mut self) -> Option<i64> {
        let active = self.devices.iter().filter(|device| device.is_active(self.clock_ms));
        if let Some(minimum_ms) = active.map(|device| device.watermark_ms).min() {
            self.watermark_ms = self.watermark_ms.max(minimum_ms);
        }
        self.watermark_ms
    }

    /// The watermark as [`advance_watermark`](Self::advance_watermark) last returned it; after a restore this is to be
    /// emitted first.
    #[must_use]
    pub const fn watermark_ms(&self) -> Option<i64> {
        self.watermark_ms
    }

    /// Whether no device holds time back.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.devices.iter().any(|device| device.is_active(self.clock_ms))
    }

    /// Where reading must start after a restore: the earliest held frame, or the first word of an incarnation that waits, else the
    /// next record.
    #[must_use]
    pub fn checkpoint_offset(&self) -> i64 {
        let held = self.devices.iter().filter_map(DeviceProgress::earliest_offset).min();
        held.map_or(self.next_offset, |offset| offset.min(self.next_offset))
    }

    /// Bytes of all held frames.
    #[must_use]
    pub const fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// The partition clock, epoch ms.
    #[must_use]
    pub const fn clock_ms(&self) -> Option<i64> {
        self.clock_ms
    }

    /// State and counters of every device.
    pub fn metrics(&self) -> impl Iterator<Item = DeviceMetrics> + '_ {
        self.devices.iter().map(|device| device.metrics(self.clock_ms))
    }

    fn place(&mut self, device: &DeviceId) -> usize {
        if let Some(&place) = self.places.get(device) {
            return place;
        }
        let place = self.devices.len();
        self.devices.push(DeviceProgress::new(device.clone()));
        self.places.insert(device.clone(), place);
        place
    }

    /// Works on one device and keeps the sum of the held bytes.
    fn at<R>(
        &mut self,
        place: usize,
        work: impl FnOnce(&mut DeviceProgress<T>, &Limits, bool) -> R,
    ) -> R {
        let device = &mut self.devices[place];
        self.held_bytes -= device.held.bytes();
        let result = work(device, &self.limits, self.trimmed);
        self.held_bytes += device.held.bytes();
        result
    }

    /// Forgets times that were not the broker's: the clock starts, and graces begin, with the first record.
    fn stop_clock(&mut self) {
        (self.clock_ms, self.anchor_ms) = (None, None);
        self.devices.iter_mut().for_each(|device| device.holds_until_ms = None);
    }

    fn run_clock_to(&mut self, time_ms: i64) -> i64 {
        if self.clock_ms.is_none() {
            for device in self.devices.iter_mut().filter(|device| device.holds_until_ms.is_none()) {
                device.hold_time_until(time_ms + self.limits.start_grace_ms);
            }
        }
        let clock_ms = self.clock_ms.map_or(time_ms, |clock_ms| clock_ms.max(time_ms));
        self.clock_ms = Some(clock_ms);
        clock_ms
    }
}
