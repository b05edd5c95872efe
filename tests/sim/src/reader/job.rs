//! The residual job behind one partition: what it took in, its windows, what it saw of time. A checkpoint is a copy of it.

use std::collections::BTreeMap;

use sluice_progress::{GapReason, SeqRange};

use crate::context::Context;
use crate::events::{self, EventId};
use crate::scenario::WINDOW_MS;

/// A decoded frame, as the reader holds it.
#[derive(Debug)]
pub struct Decoded {
    /// Its offset and its first seq: a record may come in slices.
    pub place: (i64, i64),
    /// Its last seq.
    pub last: i64,
    /// Whether it has a watermark.
    pub timed: bool,
    /// Its events: seq, event time, value.
    pub events: Vec<(i64, Option<i64>, i64)>,
}

/// Something was passed on.
#[derive(Debug, Clone)]
pub struct Pass {
    /// The device.
    pub device: usize,
    /// The incarnation.
    pub incarnation: i64,
    /// The seqs.
    pub range: SeqRange,
    /// Counted as late.
    pub late: bool,
    /// While the device was in event-time order after a limit.
    pub fallen: bool,
    /// Of a frame with a watermark.
    pub timed: bool,
    /// The append time of the record that let it pass.
    pub at_ms: i64,
}

/// A result of an event.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Of which event.
    pub id: EventId,
    /// The watermark that had been emitted, if it came behind it.
    pub behind_ms: Option<i64>,
    /// When it came, by append times.
    pub at_ms: i64,
}

/// What is counted of a device.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// It is in event-time order after a limit.
    pub fallen: bool,
    /// Times that it fell back.
    pub fallbacks: u32,
    /// Append time of the record that let its last frame with a watermark pass.
    pub timed_ms: Option<i64>,
    /// Append time of its last heartbeat: only a mutation looks at it.
    pub heartbeat_ms: Option<i64>,
    /// Its leave was read: only a mutation looks at it.
    pub leave_read: bool,
    /// The highest time that was passed.
    pub highest_ms: Option<i64>,
    /// The newest seq of the newest incarnation that was passed.
    pub newest: Option<(i64, i64)>,
    /// It left.
    pub left: bool,
    /// It settled.
    pub settled: bool,
}

/// The state of the job.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// What was passed on, in order.
    pub passes: Vec<Pass>,
    /// What came of it, in order.
    pub outputs: Vec<Output>,
    /// What was given up: device, incarnation, seqs, why.
    pub gaps: Vec<(usize, i64, SeqRange, GapReason)>,
    /// What was dropped because its incarnation was forgotten: device, incarnation, seqs.
    pub forgotten: Vec<(usize, i64, SeqRange)>,
    /// By device.
    pub seen: BTreeMap<usize, Seen>,
    /// The watermark that was emitted.
    pub emitted_ms: Option<i64>,
    /// Append time of the first record.
    pub began_ms: Option<i64>,
    windows: BTreeMap<(i64, usize), i64>,
    /// Windows that fired: by end and device, their counts.
    pub fired: BTreeMap<(i64, usize), i64>,
}

impl Job {
    /// What is counted of a device.
    pub fn seen(&mut self, device: usize) -> &mut Seen {
        self.seen.entry(device).or_default()
    }

    /// Takes in the events of a frame whose seq is in one of the ranges.
    pub fn pass(
        &mut self,
        context: &mut Context,
        (device, incarnation): (usize, i64),
        frame: &Decoded,
        (ranges, late): (&[SeqRange], bool),
        at_ms: i64,
    ) {
        let seen = self.seen(device);
        let fallen = seen.fallen;
        if frame.timed {
            seen.timed_ms = Some(at_ms);
        }
        let last = ranges.last().map(|range| (incarnation, range.last));
        seen.newest = seen.newest.max(last);
        for range in ranges {
            let timed = frame.timed;
            self.passes.push(Pass {
                device,
                incarnation,
                range: *range,
                late,
                fallen,
                timed,
                at_ms,
            });
            for (_, time, value) in
                frame.events.iter().filter(|(seq, ..)| (range.first..=range.last).contains(seq))
            {
                self.take(context, device, *time, *value, at_ms);
            }
        }
    }

    fn take(
        &mut self,
        context: &mut Context,
        device: usize,
        time: Option<i64>,
        value: i64,
        at_ms: i64,
    ) {
        let (id, time_ms, marks) = events::parts(value);
        let known = context.truth.events.get(id.0 as usize);
        if known.is_none_or(|event| {
            event.device != device || Some(event.time_ms) != time || event.time_ms != time_ms
        }) {
            context.fail("I3 operators", format!("d{device} passes {id:?} at {time:?}: {known:?}"));
        }
        if marks != events::marks(context.scenario.operators) {
            context.fail("I3 operators", format!("{id:?} of d{device} has the marks {marks:o}"));
        }
        let highest_ms = &mut self.seen(device).highest_ms;
        *highest_ms = (*highest_ms).max(Some(time_ms));
        let behind_ms = self.emitted_ms.filter(|emitted_ms| time_ms <= *emitted_ms);
        self.outputs.push(Output { id, behind_ms, at_ms });
        let end_ms = (time_ms.div_euclid(WINDOW_MS) + 1) * WINDOW_MS;
        if self.emitted_ms < Some(end_ms - 1) {
            *self.windows.entry((end_ms, device)).or_default() += 1;
        }
    }

    /// Time goes on.
    pub fn emit(&mut self, watermark_ms: Option<i64>) {
        self.emitted_ms = watermark_ms;
        while let Some(first) = self.windows.first_entry()
            && Some(first.key().0 - 1) <= watermark_ms
        {
            let (window, count) = first.remove_entry();
            *self.fired.entry(window).or_default() += count;
        }
    }
}
