//! What follows when a device's frames or limits moved: the steps of one device, one at a time.

use sluice_model::{Incarnation, Order};

use crate::device::{DeviceProgress, Mode};
use crate::held::{HeldKey, HeldKind};
use crate::incarnation::{IncarnationProgress, Predecessor};
use crate::{Action, DropReason, GapReason, GiveUpReason, Limits, OnLostHole, SeqRange};

impl<T> DeviceProgress<T> {
    /// The next action, or none until the next input.
    pub fn step(&mut self, clock_ms: i64, limits: &Limits) -> Option<Action<T>> {
        loop {
            if let Some(action) = self.pending.pop_front() {
                return Some(action);
            }
            if !self.advance(clock_ms, limits) {
                return None;
            }
        }
    }

    /// Checks the limits of the device; true if one was reached.
    pub fn expire(&mut self, clock_ms: i64, limits: &Limits) -> bool {
        match self.mode {
            Mode::Settling { until_ms } => {
                let due = clock_ms >= until_ms && self.opening.is_none();
                if due {
                    self.give_up(GiveUpReason::HoleLimit, clock_ms, limits);
                }
                due
            }
            Mode::Orderly if self.has_hole() => {
                let stuck_ms = clock_ms - self.stuck_since_ms;
                let silent_ms = stuck_ms.min(clock_ms - self.last_seen_ms.unwrap_or(clock_ms));
                let due =
                    stuck_ms >= limits.hole_limit_ms || silent_ms >= limits.silent_hole_limit_ms;
                if due {
                    self.give_up(GiveUpReason::HoleLimit, clock_ms, limits);
                }
                due
            }
            _ => false,
        }
    }

    /// Stops waiting. A hole that follows gets a limit of its own: after a restore its frames are read again first.
    pub fn give_up(&mut self, reason: GiveUpReason, clock_ms: i64, limits: &Limits) {
        self.stuck_since_ms = clock_ms;
        match (self.mode, limits.on_lost_hole) {
            (Mode::Settling { .. }, _) => {
                self.opening = self.incarnations.keys().next_back().copied()
            }
            (_, OnLostHole::DeclareGap) => self.mode = Mode::DeclaringGaps,
            (_, OnLostHole::FallBack) => {
                self.mode = Mode::FallenBack;
                self.counters.fallbacks += 1;
                self.pending.push_back(Action::FellBack { device: self.device.clone(), reason });
            }
        }
    }

    /// Does the first thing that can be done; false if there is none.
    fn advance(&mut self, clock_ms: i64, limits: &Limits) -> bool {
        if let Some(key) = self.passable(limits) {
            self.pass(key, clock_ms, limits);
            return true;
        }
        if self.is_settling() && self.opening.is_none() {
            return false;
        }
        self.keep_promises();
        self.open_next(clock_ms)
            || self.give_up_hole(clock_ms, limits)
            || self.return_to_order()
            || self.leave_at_frontier()
            || self.forget_oldest(limits)
    }

    /// The held frame whose turn it is.
    fn passable(&self, limits: &Limits) -> Option<HeldKey> {
        let first = self.held.first()?;
        let of_older = self.is_closed(first.incarnation) || self.is_closing(first.incarnation);
        let at_once = !self.is_settling()
            && (limits.order == Order::EventTime || self.mode == Mode::FallenBack);
        if of_older || at_once {
            return Some(first);
        }
        let open = self.open?;
        self.held.beginning_by(open, self.open_incarnation()?.coverage.frontier() + 1)
    }

    /// Passes a held frame: its events, its coverage and its watermark in one step.
    fn pass(&mut self, key: HeldKey, clock_ms: i64, limits: &Limits) {
        let number = key.incarnation;
        let next_data = self.held.next_first(number, key.first, Some(HeldKind::Data));
        let Some(mut held) = self.held.remove(&key) else { return };
        if key.kind == HeldKind::Gap {
            match next_data.filter(|&next| next <= held.last) {
                Some(next) => {
                    self.declare_gap(
                        number,
                        SeqRange::new(key.first, next - 1),
                        GapReason::Declared,
                        clock_ms,
                    );
                    self.held.push(number, next, HeldKind::Gap, held);
                }
                None => {
                    let range = SeqRange::new(key.first, held.last);
                    self.declare_gap(number, range, GapReason::Declared, clock_ms);
                    self.cover(number, range, held.watermark_ms.take(), clock_ms);
                }
            }
        } else {
            let range = SeqRange::new(key.first, held.last);
            let ranges = self.cover(number, range, held.watermark_ms, clock_ms);
            let (device, frame) = (self.device.clone(), held.handle);
            if ranges.is_empty() {
                self.counters.duplicate_frames += 1;
                let reason = DropReason::Duplicate;
                self.pending.push_back(Action::Drop { device, incarnation: number, frame, reason });
            } else {
                if held.watermark_ms.is_some() {
                    self.hold_time_until(clock_ms + limits.idle_after_ms);
                }
                let late =
                    |range: &SeqRange| (held.late_below.min(range.last + 1) - range.first).max(0);
                let late_seqs = ranges.iter().map(late).sum();
                self.counters.late_seqs += late_seqs;
                self.pending.push_back(Action::Pass {
                    device,
                    incarnation: number,
                    frame,
                    ranges,
                    late_seqs,
                });
            }
        }
        self.bound_intervals(number, clock_ms, limits);
    }

    /// Adds a range to the coverage; returns what was not covered before.
    fn cover(
        &mut self,
        number: Incarnation,
        range: SeqRange,
        watermark: Option<i64>,
        clock_ms: i64,
    ) -> Vec<SeqRange> {
        let Some(incarnation) = self.incarnations.get_mut(&number) else { return Vec::new() };
        let before = incarnation.coverage.frontier();
        let uncovered = incarnation.coverage.add(range, watermark);
        if self.open == Some(number) && incarnation.coverage.frontier() > before {
            self.stuck_since_ms = clock_ms;
        }
        self.count_watermark(number, range, watermark);
        uncovered
    }

    fn declare_gap(
        &mut self,
        incarnation: Incarnation,
        range: SeqRange,
        reason: GapReason,
        clock_ms: i64,
    ) {
        let ranges = self.cover(incarnation, range, None, clock_ms);
        if !ranges.is_empty() {
            self.counters.gap_seqs += ranges.iter().map(SeqRange::len).sum::<i64>();
            self.pending.push_back(Action::Gap {
                device: self.device.clone(),
                incarnation,
                ranges,
                reason,
            });
        }
    }

    fn bound_intervals(&mut self, number: Incarnation, clock_ms: i64, limits: &Limits) {
        while let Some(incarnation) = self.incarnations.get(&number)
            && incarnation.coverage.interval_count() > limits.max_intervals
            && let Some(hole) = incarnation.coverage.oldest_hole()
        {
            self.declare_gap(number, hole, GapReason::Intervals, clock_ms);
        }
    }

    fn keep_promises(&mut self) {
        if let Some(open) = self.open
            && let Some(incarnation) = self.incarnations.get_mut(&open)
        {
            self.watermark_ms = self.watermark_ms.max(incarnation.kept_promises());
        }
    }

    /// Opens the incarnation whose turn it is, once nothing is held of the older ones.
    fn open_next(&mut self, clock_ms: i64) -> bool {
        if let Some(opening) = self.opening.take() {
            self.open(opening, clock_ms);
            return true;
        }
        let openable = if self.mode == Mode::FallenBack {
            self.waiting().next_back()
        } else {
            self.waiting().find(|(_, incarnation)| self.is_continued_by(incarnation))
        };
        self.opening = openable.map(|(number, _)| number);
        self.opening.is_some()
    }

    /// Whether everything before `incarnation` was passed.
    fn is_continued_by(&self, incarnation: &IncarnationProgress) -> bool {
        match incarnation.predecessor {
            Predecessor::Unknown => false,
            Predecessor::Nothing => true,
            Predecessor::Known(previous) => {
                let covered_to =
                    |open: &IncarnationProgress| open.coverage.frontier() >= previous.end;
                self.is_closed(previous.incarnation)
                    || self.forgotten.is_some_and(|forgotten| previous.incarnation <= forgotten)
                    || (self.open == Some(previous.incarnation)
                        && self.open_incarnation().is_some_and(covered_to))
            }
        }
    }

    fn open(&mut self, number: Incarnation, clock_ms: i64) {
        for incarnation in self.incarnations.range(..number).map(|(_, incarnation)| incarnation) {
            self.watermark_ms = self.watermark_ms.max(incarnation.coverage.highest_watermark());
        }
        self.open = Some(number);
        self.stuck_since_ms = clock_ms;
        self.may_forget = true;
        let device = self.device.clone();
        let Some(incarnation) = self.incarnations.get_mut(&number) else { return };
        if let Mode::Settling { .. } = self.mode {
            let base = incarnation.coverage.highest().unwrap_or(incarnation.named) + 1;
            incarnation.coverage.set_base(base);
            self.mode = Mode::Orderly;
            self.pending.push_back(Action::Settled { device, incarnation: number, base });
        } else {
            self.pending.push_back(Action::Opened { device, incarnation: number });
        }
        self.watermark_ms = self.watermark_ms.max(incarnation.coverage.frontier_watermark());
    }

    /// While gaps are being declared: ends the first hole.
    fn give_up_hole(&mut self, clock_ms: i64, limits: &Limits) -> bool {
        if self.mode != Mode::DeclaringGaps {
            return false;
        }
        if let Some(open) = self.open
            && let Some(incarnation) = self.incarnations.get(&open)
            && incarnation.has_hole()
        {
            let (first, named) = (incarnation.coverage.frontier() + 1, incarnation.named);
            let next_held = self.held.next_first(open, first, None);
            let last = next_held.map_or(named, |next| named.min(next - 1));
            self.declare_gap(open, SeqRange::new(first, last), GapReason::Lost, clock_ms);
            self.bound_intervals(open, clock_ms, limits);
            return true;
        }
        let next =
            self.waiting().next().map(|(number, incarnation)| (number, incarnation.predecessor));
        match next {
            None => {
                self.mode = Mode::Orderly;
                return false;
            }
            Some((_, Predecessor::Known(previous))) if self.open == Some(previous.incarnation) => {
                if let Some(incarnation) = self.incarnations.get_mut(&previous.incarnation) {
                    incarnation.named = incarnation.named.max(previous.end);
                }
            }
            Some((number, _)) => self.opening = Some(number),
        }
        true
    }

    fn return_to_order(&mut self) -> bool {
        let returns = self.mode == Mode::FallenBack && !self.has_hole();
        if returns {
            self.mode = Mode::Orderly;
            self.pending.push_back(Action::Returned { device: self.device.clone() });
        }
        returns
    }

    fn leave_at_frontier(&mut self) -> bool {
        let leaves = !self.left
            && !self.has_hole()
            && self.leave.is_some_and(|(number, _)| self.open == Some(number));
        if leaves {
            self.left = true;
            self.pending.push_back(Action::Left { device: self.device.clone() });
        }
        leaves
    }

    /// Forgets a closed incarnation beyond those that are kept, one without holes first.
    fn forget_oldest(&mut self, limits: &Limits) -> bool {
        let Some(open) = self.open.filter(|_| self.may_forget) else { return false };
        let closed = || self.incarnations.range(..open);
        if closed().count() <= limits.max_closed {
            self.may_forget = false;
            return false;
        }
        let whole = closed().find(|(_, incarnation)| !incarnation.has_hole());
        if let Some(number) = whole.or_else(|| closed().next()).map(|(&number, _)| number) {
            self.incarnations.remove(&number);
            self.forgotten = self.forgotten.max(Some(number));
        }
        true
    }
}
