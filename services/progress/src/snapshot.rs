//! The state as plain data.

use sluice_model::{DeviceId, Incarnation};

use crate::device::{DeviceProgress, Mode};
use crate::incarnation::IncarnationProgress;
use crate::{Limits, SeqRange};

/// A partition between two actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionSnapshot {
    /// Where reading starts again.
    pub offset: i64,
    /// Whether reading began behind a trimmed prefix.
    pub trimmed: bool,
    /// The partition clock, epoch ms.
    pub clock_ms: Option<i64>,
    /// The watermark emitted.
    pub watermark_ms: Option<i64>,
    /// Every device, in the order of their first mention.
    pub devices: Vec<DeviceSnapshot>,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSnapshot {
    /// Its id.
    pub device: DeviceId,
    /// On the device list.
    pub listed: bool,
    /// It left.
    pub left: bool,
    /// Incarnation and last seq of a leave that was read.
    pub leave: Option<(Incarnation, i64)>,
    /// In event-time order because a limit was reached.
    pub fallback: bool,
    /// Held until it has settled.
    pub settling: bool,
    /// The open incarnation.
    pub open: Option<Incarnation>,
    /// The highest forgotten incarnation.
    pub forgotten: Option<Incarnation>,
    /// Its watermark.
    pub watermark_ms: Option<i64>,
    /// Until when it holds time back without a hole.
    pub holds_until_ms: Option<i64>,
    /// Append time of the newest sign of life.
    pub last_seen_ms: Option<i64>,
    /// When the frontier last advanced, or the hole began.
    pub stuck_since_ms: i64,
    /// Incarnations of which something was passed, and the open one. Of others the frames are read again.
    pub incarnations: Vec<IncarnationSnapshot>,
}

/// An incarnation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncarnationSnapshot {
    /// Its number.
    pub incarnation: Incarnation,
    /// The first seq that is waited for.
    pub base: i64,
    /// The highest `last` that was named.
    pub named: i64,
    /// Its coverage, ascending.
    pub intervals: Vec<IntervalSnapshot>,
}

/// An interval of a coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalSnapshot {
    /// The seqs.
    pub range: SeqRange,
    /// The highest watermark in it.
    pub watermark_ms: Option<i64>,
}

impl DeviceSnapshot {
    pub(crate) fn of<T>(device: &DeviceProgress<T>) -> Self {
        let kept = |number: &Incarnation, incarnation: &IncarnationProgress| {
            device.open.is_some_and(|open| *number <= open)
                || incarnation.coverage.interval_count() > 0
        };
        let incarnations =
            device.incarnations.iter().filter(|(number, incarnation)| kept(number, incarnation));
        Self {
            device: device.device.clone(),
            listed: device.listed,
            left: device.left,
            leave: device.leave,
            fallback: device.mode == Mode::FallenBack,
            settling: device.is_settling(),
            open: device.open,
            forgotten: device.forgotten,
            watermark_ms: device.watermark_ms,
            holds_until_ms: device.holds_until_ms,
            last_seen_ms: device.last_seen_ms,
            stuck_since_ms: device.stuck_since_ms,
            incarnations: incarnations
                .map(|(&incarnation, progress)| IncarnationSnapshot {
                    incarnation,
                    base: progress.coverage.base(),
                    named: progress.named,
                    intervals: progress
                        .coverage
                        .intervals()
                        .map(|(range, watermark_ms)| IntervalSnapshot { range, watermark_ms })
                        .collect(),
                })
                .collect(),
        }
    }

    /// A device that settles gets its whole time again, in which its frames are read again.
    pub(crate) fn into_progress<T>(
        self,
        offset: i64,
        clock_ms: i64,
        limits: &Limits,
    ) -> DeviceProgress<T> {
        let mut device = DeviceProgress::new(self.device);
        device.mode = match (self.settling, self.fallback) {
            (true, _) => Mode::Settling { until_ms: clock_ms + limits.settle_ms },
            (_, true) => Mode::FallenBack,
            _ => Mode::Orderly,
        };
        (device.listed, device.left, device.leave) = (self.listed, self.left, self.leave);
        (device.open, device.forgotten) = (self.open, self.forgotten);
        (device.watermark_ms, device.holds_until_ms) = (self.watermark_ms, self.holds_until_ms);
        (device.last_seen_ms, device.stuck_since_ms) = (self.last_seen_ms, self.stuck_since_ms);
        device.may_forget = true;
        for snapshot in self.incarnations {
            let mut progress = IncarnationProgress::new(offset);
            progress.named = snapshot.named;
            progress.coverage.set_base(snapshot.base);
            for interval in snapshot.intervals {
                progress.coverage.add(interval.range, interval.watermark_ms);
            }
            device.incarnations.insert(snapshot.incarnation, progress);
        }
        device
    }
}
