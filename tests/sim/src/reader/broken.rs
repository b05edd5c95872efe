//! The reader with a rule taken away.

use std::rc::Rc;

use sluice_model::DeviceId;
use sluice_progress::{
    DeviceMetrics, Frame, FrameKind, IntervalSnapshot, Limits, PartitionSnapshot,
};

use super::{Decoded, Reader, place};
use crate::context::Context;
use crate::mutation::Mutation;
use crate::scenario::Class;

impl Reader {
    /// Breaks rule 1: what is held is checkpointed as covered.
    pub(super) fn cover_held(&self, snapshot: &mut PartitionSnapshot) {
        snapshot.offset = self.position;
        for (device, incarnation, range) in self.held.values() {
            let device = snapshot.devices.iter_mut().find(|known| known.device == *device);
            let incarnations = device.into_iter().flat_map(|device| &mut device.incarnations);
            for known in incarnations.filter(|known| known.incarnation.0 == *incarnation) {
                known.intervals.push(IntervalSnapshot { range: *range, watermark_ms: None });
            }
        }
    }

    /// Breaks rule 9: the heartbeat counts for what is passed already.
    pub(super) fn let_it_count(&self, heartbeat: &mut Frame) {
        let known = self.progress.metrics().find(|known| known.device == heartbeat.device);
        if let Some(known) = known.filter(|known| known.incarnation == Some(heartbeat.incarnation))
        {
            heartbeat.last = heartbeat.last.min(known.frontier);
            heartbeat.first = heartbeat.last + 1;
        }
    }

    /// Breaks rule 22: a gap frame over everything older.
    pub(super) fn cover_older(&mut self, device: &DeviceId, opened: i64) {
        let snapshot = self.progress.snapshot();
        let known = snapshot.devices.iter().find(|known| known.device == *device);
        let older = known.into_iter().flat_map(|known| &known.incarnations);
        let older = older.filter(|older| older.incarnation.0 < opened && older.named >= 0);
        let named: Vec<_> = older.map(|older| (older.incarnation, older.named)).collect();
        for (incarnation, last) in named {
            let gap = Frame {
                kind: FrameKind::Gap,
                device: device.clone(),
                incarnation,
                previous: None,
                first: 0,
                last,
                watermark_ms: None,
                bytes: 0,
                append_time_ms: 0,
                offset: self.position - 1,
                next_offset: self.position,
            };
            let handle = Decoded { place: (-1, 0), last: -1, timed: false, events: Vec::new() };
            let _ = self.progress.frame(&gap, Rc::new(handle));
        }
    }

    /// Whether the minimum is another one than the algebra's.
    pub(super) fn has_own_watermark(context: &Context) -> bool {
        [Mutation::HeartbeatsHoldTime, Mutation::LeavesAtOnce, Mutation::AssignsInResidual]
            .iter()
            .any(|rule| context.breaks(*rule))
    }

    /// Breaks rules 7, 17 and 19: the minimum over more or fewer devices than are active, or of other times.
    pub(super) fn own_watermark(
        &mut self,
        context: &Context,
        metrics: &[DeviceMetrics],
    ) -> Option<i64> {
        let idle_ms = context.scenario.limits.idle_after_ms;
        let clock_ms = self.progress.clock_ms().unwrap_or(0);
        let counts = |device: &&DeviceMetrics| {
            let seen = self.job.seen.get(&place(&device.device)).copied().unwrap_or_default();
            let alive = seen.heartbeat_ms.is_some_and(|at| clock_ms < at + idle_ms);
            if context.breaks(Mutation::HeartbeatsHoldTime) {
                device.active || (alive && !device.fallback && !seen.left)
            } else {
                device.active && !(seen.leave_read && context.breaks(Mutation::LeavesAtOnce))
            }
        };
        let residual = context.breaks(Mutation::AssignsInResidual)
            && context.scenario.class == Class::EventTime;
        let time = |device: &DeviceMetrics| {
            let seen = self.job.seen.get(&place(&device.device))?;
            Some(seen.highest_ms? - context.scenario.bound_ms - 1)
        };
        let time =
            |device: &DeviceMetrics| if residual { time(device) } else { device.watermark_ms };
        let minimum = metrics.iter().filter(counts).map(time).min();
        let emitted = self.job.emitted_ms;
        // The real one goes along, so that a restore finds it.
        self.progress.advance_watermark();
        minimum.map_or(emitted, |minimum| emitted.max(minimum))
    }
}

/// The limits; without those that are taken away.
pub(super) fn limits(context: &Context) -> Limits {
    let mut limits = context.scenario.limits.clone();
    if context.breaks(Mutation::NoHoleLimit) {
        limits.hole_limit_ms = 1 << 40;
        limits.silent_hole_limit_ms = 1 << 40;
    }
    if context.breaks(Mutation::NoIntervalBound) {
        limits.max_intervals = usize::MAX;
    }
    limits
}
