//! What is checked whenever time may go on: invariants I4 and I5, and the bounds of the reader.

use sluice_progress::DeviceMetrics;

use super::{Reader, place};
use crate::context::Context;
use crate::mutation::Mutation;

impl Reader {
    /// Emits the watermark, and looks at it.
    pub(super) fn emit(&mut self, context: &mut Context) {
        let metrics: Vec<DeviceMetrics> = self.progress.metrics().collect();
        let before = self.job.emitted_ms;
        let now = if Self::has_own_watermark(context) {
            self.own_watermark(context, &metrics)
        } else {
            self.progress.advance_watermark()
        };
        self.check_devices(context, &metrics);
        if now < before {
            context.fail("I5 falls", format!("the watermark falls from {before:?} to {now:?}"));
        }
        if now > before {
            for device in &metrics {
                self.check_emission(context, device, now);
            }
        }
        self.job.emit(now);
    }

    /// I4: no device's time passes that of the unsplit job's assigner at its frontier.
    fn check_devices(&self, context: &mut Context, metrics: &[DeviceMetrics]) {
        for device in metrics {
            let Some(open) = device.incarnation else { continue };
            let number = place(&device.device);
            let mut highest = context.truth.highest_ms(number, open.0, device.frontier);
            if context.meddled[number]
                && let Some((incarnation, last)) =
                    self.job.seen.get(&number).and_then(|seen| seen.newest)
            {
                // When an incarnation is superseded its held frames are passed, and count, before the new one opens.
                highest = highest.max(context.truth.highest_ms(number, incarnation, last));
            }
            let unsplit = highest.map(|highest| highest - context.scenario.bound_ms - 1);
            let cap_ms = self.read_ms.saturating_add(context.scenario.limits.max_ahead_ms);
            if device.watermark_ms > Some(cap_ms) && !context.breaks(Mutation::DeviceAppendTime) {
                context.fail("I4 cap", format!("{device:?} is ahead of {cap_ms}"));
            }
            if device.watermark_ms > unsplit {
                let text = format!(
                    "{} is at {:?}, the unsplit assigner at {unsplit:?} behind seq {}",
                    device.device, device.watermark_ms, device.frontier
                );
                context.fail("I4 time", text);
            }
        }
    }

    /// I5: what is emitted is at most the minimum over the active devices, by their own word and by ours.
    fn check_emission(&mut self, context: &mut Context, device: &DeviceMetrics, now: Option<i64>) {
        if device.active && now > device.watermark_ms && !context.breaks(Mutation::LeavesAtOnce) {
            context.fail("I5 minimum", format!("{now:?} is emitted, {device:?} is active"));
        }
        let seen = *self.job.seen(place(&device.device));
        let fresh = seen.timed_ms.is_some_and(|timed_ms| {
            self.clock_bound_ms < timed_ms + context.scenario.limits.idle_after_ms
        });
        if fresh && !seen.left && !seen.fallen && now > device.watermark_ms {
            let text = format!(
                "{now:?} is emitted at {:?} (at most {}), but {} is not idle ({seen:?}): {device:?}",
                self.progress.clock_ms(),
                self.clock_bound_ms,
                device.device
            );
            context.fail("I5 idle", text);
        }
    }

    /// The bounds of memory (I8).
    pub(super) fn check_bounds(&self, context: &mut Context) {
        let (held, most) = (self.progress.held_bytes(), context.scenario.limits.held_bytes);
        if held > most {
            context.fail("I8 held bytes", format!("{held} bytes are held, {most} may be"));
        }
        let bound = context.scenario.limits.max_intervals;
        for device in self.progress.snapshot().devices {
            for incarnation in &device.incarnations {
                let count = incarnation.intervals.len();
                if count > bound {
                    context.fail("I8 intervals", format!("{count} intervals, {bound} may be"));
                }
            }
        }
    }
}
