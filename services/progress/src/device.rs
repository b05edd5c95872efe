//! One device of a partition: its incarnations, what is held of them, its watermark, and how a frame arrives.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};

use sluice_model::{DeviceId, Incarnation};

use crate::held::{Held, HeldFrame, HeldKind};
use crate::incarnation::{IncarnationProgress, Predecessor};
use crate::metrics::Counters;
use crate::{Action, DeviceMetrics, DropReason, Frame, FrameKind, Limits, SeqRange};

/// How far a device is trusted to fill its holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Holes are waited for.
    Orderly,
    /// Reading began behind a trimmed prefix: everything is held until this time on the partition clock.
    Settling { until_ms: i64 },
    /// A limit was reached: events are passed as they come, and the watermark does not count.
    FallenBack,
    /// A limit was reached where order is kept: every hole known now becomes a gap.
    DeclaringGaps,
}

#[derive(Debug)]
pub(crate) struct DeviceProgress<T> {
    pub(crate) device: DeviceId,
    /// On the device list. Membership itself changes in-band.
    pub(crate) listed: bool,
    pub(crate) left: bool,
    /// A leave that waits for the frontier.
    pub(crate) leave: Option<(Incarnation, i64)>,
    pub(crate) mode: Mode,
    /// Closed ones, the open one, waiting ones.
    pub(crate) incarnations: BTreeMap<Incarnation, IncarnationProgress>,
    pub(crate) open: Option<Incarnation>,
    /// The incarnation that opens as soon as the held frames of the older ones are passed.
    pub(crate) opening: Option<Incarnation>,
    /// The highest forgotten incarnation.
    pub(crate) forgotten: Option<Incarnation>,
    pub(crate) held: Held<T>,
    /// Never falls, and is kept from incarnation to incarnation.
    pub(crate) watermark_ms: Option<i64>,
    /// Until when on the partition clock the device holds time back without a hole; none before the clock started.
    pub(crate) holds_until_ms: Option<i64>,
    /// Append time of the newest sign of life.
    pub(crate) last_seen_ms: Option<i64>,
    /// When the frontier last advanced, or the hole began.
    pub(crate) stuck_since_ms: i64,
    /// Whether the number of closed incarnations grew.
    pub(crate) may_forget: bool,
    pub(crate) pending: VecDeque<Action<T>>,
    pub(crate) counters: Counters,
}

impl<T> DeviceProgress<T> {
    pub fn new(device: DeviceId) -> Self {
        Self {
            device,
            listed: false,
            left: false,
            leave: None,
            mode: Mode::Orderly,
            incarnations: BTreeMap::new(),
            open: None,
            opening: None,
            forgotten: None,
            held: Held::new(),
            watermark_ms: None,
            holds_until_ms: None,
            last_seen_ms: None,
            stuck_since_ms: 0,
            may_forget: false,
            pending: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// The device list names it: a never-seen device holds time back from now on for the start grace.
    pub fn join(&mut self, clock_ms: Option<i64>, limits: &Limits) {
        if self.listed {
            return;
        }
        (self.listed, self.left, self.leave) = (true, false, None);
        if let Some(clock_ms) = clock_ms {
            self.hold_time_until(clock_ms + limits.start_grace_ms);
        }
    }

    /// The device list names it no more. A device that was seen leaves in-band, at its frontier.
    pub fn unlist(&mut self) {
        self.listed = false;
        self.left |= self.last_seen_ms.is_none();
    }

    pub fn hold_time_until(&mut self, time_ms: i64) {
        self.holds_until_ms = self.holds_until_ms.max(Some(time_ms));
    }

    /// Takes a well-formed frame in. What follows from it comes out of `step`.
    pub fn arrive(
        &mut self,
        frame: &Frame,
        handle: T,
        clock_ms: i64,
        limits: &Limits,
        trimmed: bool,
    ) {
        let had_hole = self.has_hole();
        self.note_sign_of_life(frame, clock_ms, limits, trimmed);
        if self.admit(frame) {
            self.take(frame, handle, limits.max_ahead_ms);
        } else if matches!(frame.kind, FrameKind::Data | FrameKind::Gap) {
            self.counters.forgotten_frames += 1;
            self.drop_frame(frame.incarnation, handle, DropReason::Forgotten);
        }
        if !had_hole && self.has_hole() {
            self.stuck_since_ms = clock_ms;
        }
    }

    fn note_sign_of_life(&mut self, frame: &Frame, clock_ms: i64, limits: &Limits, trimmed: bool) {
        if self.last_seen_ms.is_none() {
            self.hold_time_until(clock_ms + limits.idle_after_ms);
            if trimmed {
                self.mode = Mode::Settling { until_ms: clock_ms + limits.settle_ms };
            }
        }
        self.last_seen_ms = self.last_seen_ms.max(Some(frame.append_time_ms));
        if self.leave.is_none_or(|leave| (frame.incarnation, frame.last) > leave) {
            (self.left, self.leave) = (false, None);
        }
    }

    /// Sees to it that state of the frame's incarnation is kept; false if there will be none.
    fn admit(&mut self, frame: &Frame) -> bool {
        let number = frame.incarnation;
        if !self.incarnations.contains_key(&number) {
            let older = self.open.is_some_and(|open| number < open);
            let ranged = matches!(frame.kind, FrameKind::Data | FrameKind::Gap);
            if self.forgotten.is_some_and(|forgotten| number <= forgotten) || (older && !ranged) {
                return false;
            }
            self.may_forget |= older;
            self.incarnations.insert(number, IncarnationProgress::new(frame.offset));
        }
        let Some(incarnation) = self.incarnations.get_mut(&number) else { return false };
        if incarnation.predecessor == Predecessor::Unknown && frame.kind != FrameKind::Unreadable {
            incarnation.predecessor =
                frame.previous.map_or(Predecessor::Nothing, Predecessor::Known);
        }
        incarnation.named = incarnation.named.max(frame.last);
        true
    }

    fn take(&mut self, frame: &Frame, handle: T, max_ahead_ms: i64) {
        let cap_ms = frame.append_time_ms + max_ahead_ms;
        let watermark_ms = frame.watermark_ms.map(|watermark_ms| watermark_ms.min(cap_ms));
        match frame.kind {
            FrameKind::Data => self.take_data(frame, watermark_ms, handle),
            FrameKind::Gap => self.hold(frame, HeldKind::Gap, watermark_ms, handle),
            FrameKind::Leave => self.leave = Some((frame.incarnation, frame.last)),
            FrameKind::Heartbeat => {
                if let (Some(incarnation), Some(watermark_ms)) =
                    (self.incarnations.get_mut(&frame.incarnation), watermark_ms)
                {
                    incarnation.promise(frame.last, watermark_ms);
                }
            }
            FrameKind::Unreadable => {}
        }
    }

    fn take_data(&mut self, frame: &Frame, watermark_ms: Option<i64>, handle: T) {
        let range = SeqRange::new(frame.first, frame.last);
        let number = frame.incarnation;
        let incarnation = self.incarnations.get_mut(&number);
        if let Some(incarnation) =
            incarnation.filter(|incarnation| incarnation.coverage.covers(range))
        {
            incarnation.coverage.add(range, watermark_ms);
            self.count_watermark(number, range, watermark_ms);
            self.drop_duplicate(number, handle);
        } else if let Some(holder) = self.held.holder_of(number, range.first, range.last) {
            holder.watermark_ms = holder.watermark_ms.max(watermark_ms);
            self.drop_duplicate(number, handle);
        } else {
            self.hold(frame, HeldKind::Data, watermark_ms, handle);
        }
    }

    fn hold(&mut self, frame: &Frame, kind: HeldKind, watermark_ms: Option<i64>, handle: T) {
        let base = self
            .incarnations
            .get(&frame.incarnation)
            .map_or(0, |incarnation| incarnation.coverage.base());
        let late_below = if self.is_closed(frame.incarnation) { i64::MAX } else { base };
        let (last, bytes, offset) = (frame.last, frame.bytes, frame.offset);
        let held = HeldFrame { last, watermark_ms, bytes, offset, late_below, handle };
        self.held.push(frame.incarnation, frame.first, kind, held);
    }

    fn drop_duplicate(&mut self, incarnation: Incarnation, frame: T) {
        self.counters.duplicate_frames += 1;
        self.drop_frame(incarnation, frame, DropReason::Duplicate);
    }

    fn drop_frame(&mut self, incarnation: Incarnation, frame: T, reason: DropReason) {
        self.pending.push_back(Action::Drop {
            device: self.device.clone(),
            incarnation,
            frame,
            reason,
        });
    }

    /// Lets a watermark of `range`, which is covered now, count as far as it may.
    pub(crate) fn count_watermark(
        &mut self,
        number: Incarnation,
        range: SeqRange,
        watermark_ms: Option<i64>,
    ) {
        if self.is_closed(number) || self.is_closing(number) {
            self.watermark_ms = self.watermark_ms.max(watermark_ms);
        } else if self.open == Some(number)
            && let Some(incarnation) = self.incarnations.get(&number)
        {
            if range.last <= incarnation.coverage.frontier() {
                self.watermark_ms = self.watermark_ms.max(watermark_ms);
            }
            self.watermark_ms = self.watermark_ms.max(incarnation.coverage.frontier_watermark());
        }
    }

    pub(crate) fn is_closed(&self, number: Incarnation) -> bool {
        self.open.is_some_and(|open| number < open)
    }

    /// Whether the held frames of the incarnation are being passed because a newer one opens or the device settles.
    pub(crate) fn is_closing(&self, number: Incarnation) -> bool {
        self.opening.is_some_and(|opening| number < opening || self.is_settling())
    }

    pub(crate) fn is_settling(&self) -> bool {
        matches!(self.mode, Mode::Settling { .. })
    }

    /// The incarnations newer than the open one, ascending.
    pub(crate) fn waiting(
        &self,
    ) -> impl DoubleEndedIterator<Item = (Incarnation, &IncarnationProgress)> {
        let behind = self.open.map_or(Unbounded, Excluded);
        self.incarnations
            .range((behind, Unbounded))
            .map(|(&number, incarnation)| (number, incarnation))
    }

    pub(crate) fn open_incarnation(&self) -> Option<&IncarnationProgress> {
        self.incarnations.get(&self.open?)
    }

    /// The earliest record that must be read again after a restore: of a held frame, or the one that named a waiting
    /// incarnation.
    pub fn earliest_offset(&self) -> Option<i64> {
        let waiting = self.waiting().map(|(_, incarnation)| incarnation.mentioned_at);
        waiting.chain(self.held.earliest_offset()).min()
    }

    /// Whether something that was named is not covered: a waiting incarnation counts as a hole.
    pub(crate) fn has_hole(&self) -> bool {
        self.waiting().next().is_some()
            || self.open_incarnation().is_some_and(IncarnationProgress::has_hole)
    }

    /// Whether the device holds time back.
    pub fn is_active(&self, clock_ms: Option<i64>) -> bool {
        if self.left || self.mode == Mode::FallenBack {
            return false;
        }
        let recent = match (clock_ms, self.holds_until_ms) {
            (Some(clock_ms), Some(until_ms)) => clock_ms < until_ms,
            _ => true,
        };
        recent || self.is_settling() || self.has_hole() || !self.held.is_empty()
    }

    pub fn metrics(&self, clock_ms: Option<i64>) -> DeviceMetrics {
        let open = self.open_incarnation();
        let missing: i64 =
            open.map_or(0, |open| open.coverage.holes(open.named).iter().map(SeqRange::len).sum());
        let waiting = i64::from(self.waiting().next().is_some());
        DeviceMetrics {
            device: self.device.clone(),
            incarnation: self.open,
            frontier: open.map_or(-1, |open| open.coverage.frontier()),
            missing: missing.max(waiting),
            held_frames: self.held.len(),
            held_bytes: self.held.bytes(),
            watermark_ms: self.watermark_ms,
            active: self.is_active(clock_ms),
            fallback: self.mode == Mode::FallenBack,
            counters: self.counters,
        }
    }
}
