//! One input on one device, as a pure state machine: what to dispatch, at which cut, what is acknowledged.
//!
//! The shell ([`crate::input`]) owns the spool, the operators and the producer; it tells the machine what happened
//! (`handle_*`) and asks it what to do (`poll_*`). Times are milliseconds of one steady clock, passed in.

mod choice;
mod identity;
mod limits;
mod order;
mod pacing;
mod window;

use std::collections::BTreeMap;
use std::ops::Range;

use sluice_model::{
    CommandKey, Control, Cut, Epoch, Incarnation, Outcome, PlanInForce, RoutingCommand, Seq,
};
use sluice_spool::{HoleKind, Index, Run, SpoolHole};
use sluice_wire::Previous;

use choice::CutChooser;
pub use identity::Identity;
pub use limits::Limits;
pub use order::{Content, Dispatched, Order, SignOfLife};
use pacing::{Bucket, Pacing};
pub use window::Token;
use window::{InFlight, Window};

/// A full frame is this part of the budget: while one is acknowledged, others are under way.
const FRAMES_IN_BUDGET: usize = 4;

/// The state of one input on one device.
#[derive(Debug)]
pub struct Machine {
    limits: Limits,
    control: Control,
    chooser: CutChooser,
    runs: Vec<Run>,
    /// The first event of each version of the query, in order.
    versions: Vec<Index>,
    window: Window,
    /// Bytes of acknowledged frames so far, by cut.
    acked_bytes: BTreeMap<Cut, u64>,
    pacing: Pacing,
    drain: Bucket,
    /// What the spool can't give, in order.
    holes: Vec<SpoolHole>,
    /// The next event to dispatch.
    next: Index,
    /// Every event below it may be dispatched.
    durable: Index,
    /// Since when an event waits for dispatch.
    waiting_since: Option<i64>,
    /// Whether the last frame was full, so that more is due at once.
    full: bool,
    /// Whether dispatch waits for the budget of bytes in flight.
    held_by_budget: bool,
    heartbeat_at: i64,
    stopped: bool,
    leaving: bool,
}

impl Machine {
    /// A machine that has nothing numbered yet; `cursor` is the spool's.
    #[must_use]
    pub fn new(limits: Limits, control: Control, cursor: Index) -> Self {
        let chooser = CutChooser::new(&control.plan().shares);
        Self {
            limits,
            control,
            chooser,
            runs: Vec::new(),
            versions: Vec::new(),
            window: Window::new(cursor),
            acked_bytes: BTreeMap::new(),
            pacing: Pacing::new(limits.in_flight_bytes),
            drain: Bucket::new(limits.drain_bytes_per_s),
            holes: Vec::new(),
            next: cursor,
            durable: cursor,
            waiting_since: None,
            full: false,
            held_by_budget: false,
            heartbeat_at: 0,
            stopped: false,
            leaving: false,
        }
    }

    /// The plan in force.
    #[must_use]
    pub fn plan(&self) -> &PlanInForce {
        self.control.plan()
    }

    /// The end of the contiguous acknowledged prefix, as the spool counts.
    #[must_use]
    pub fn cursor(&self) -> Index {
        self.window.cursor()
    }

    /// Bytes sent and not yet acknowledged.
    #[must_use]
    pub fn in_flight_bytes(&self) -> usize {
        self.window.bytes()
    }

    /// Whether dispatch waits for acknowledgements before it may send more (the paper's backpressure at the boundary).
    #[must_use]
    pub fn is_held_by_budget(&self) -> bool {
        self.held_by_budget
    }

    /// Bytes of the frames that were acknowledged so far, before compression, by cut.
    #[must_use]
    pub fn acked_bytes(&self) -> &BTreeMap<Cut, u64> {
        &self.acked_bytes
    }

    /// The live incarnation: the newest run, once it has its number.
    #[must_use]
    pub fn live(&self) -> Option<Incarnation> {
        self.runs.last()?.incarnation.map(Incarnation)
    }

    /// The end of the live incarnation's acknowledged prefix; -1 when nothing of it is acknowledged.
    #[must_use]
    pub fn acked_seq(&self) -> i64 {
        match self.runs.last() {
            Some(run) if self.window.cursor() > run.first => run.seq(self.window.cursor()) - 1,
            _ => -1,
        }
    }

    /// The runs of the spool, when a start got its number.
    pub fn handle_numbered(&mut self, runs: Vec<Run>) {
        self.runs = runs;
    }

    /// Where the versions of the query begin, in order: a run belongs to one of them, and its frames name no incarnation
    /// of another as their previous one, which its topics never see.
    pub fn handle_versions(&mut self, firsts: Vec<Index>) {
        self.versions = firsts;
    }

    /// Events below `durable` are safe in the spool.
    pub fn handle_durable(&mut self, durable: Index, now: i64) {
        self.durable = self.durable.max(durable);
        if self.next < self.durable && self.waiting_since.is_none() {
            self.waiting_since = Some(now);
        }
    }

    /// What the spool can't give: everything of it behind the cursor.
    pub fn handle_holes(&mut self, holes: Vec<SpoolHole>) {
        self.holes = holes;
    }

    /// The device leaves the input: once everything is acknowledged, a `leave` is due instead of a heartbeat.
    pub fn handle_leaving(&mut self) {
        self.leaving = true;
    }

    /// Ranges behind the cursor that the broker has acknowledged: a gap must not cover them.
    #[must_use]
    pub fn acknowledged_ahead(&self) -> Vec<Range<Index>> {
        self.window.acknowledged_ahead()
    }

    /// A newer incarnation of this input lives elsewhere: nothing is dispatched any more.
    pub fn handle_superseded(&mut self) {
        self.stopped = true;
    }

    /// A routing command with its epoch. A change concerns every event from the next frame on.
    pub fn handle_command(
        &mut self,
        key: &CommandKey,
        epoch: Epoch,
        command: &RoutingCommand,
        broker_now: i64,
    ) -> Outcome {
        let outcome = self.control.handle_command(key, epoch, command, broker_now);
        if outcome == Outcome::Accepted {
            self.follow_plan();
        }
        outcome
    }

    /// The plan of this input's last status, for a device that lost its cache. Returns whether it was newer.
    pub fn handle_last_plan(&mut self, plan: PlanInForce) -> bool {
        let taken = self.control.resume(plan);
        if taken {
            self.follow_plan();
        }
        taken
    }

    fn follow_plan(&mut self) {
        self.chooser = CutChooser::new(&self.control.plan().shares);
        let next_seq = self.run_of(self.next).map_or(0, |(run, _)| run.seq(self.next));
        self.control.set_from_seq(next_seq);
    }

    /// The next frame to build, if one is due and the budget allows it.
    pub fn poll_dispatch(&mut self, now: i64) -> Option<Order> {
        self.held_by_budget = false;
        self.pass_acknowledged_holes();
        if self.stopped || self.next >= self.durable {
            return None;
        }
        let (run, previous) = self.run_of(self.next)?;
        let incarnation = Incarnation(run.incarnation?);
        let end = run.end.unwrap_or(self.durable).min(self.durable);
        let hole = self.holes.iter().find(|hole| hole.end > self.next);
        let (content, end) = match hole {
            Some(SpoolHole { first, end: hole_end, kind: HoleKind::Gap(reason) })
                if *first <= self.next =>
            {
                (Content::Gap { reason: reason.clone() }, end.min(*hole_end))
            }
            next_hole => {
                let end = next_hole.map_or(end, |hole| end.min(hole.first));
                (self.events(now)?, end.min(self.next.plus(self.limits.frame_events)))
            }
        };
        Some(Order {
            incarnation,
            previous,
            first: self.next,
            first_seq: run.seq(self.next),
            end,
            content,
            epoch: self.control.plan().epoch,
        })
    }

    /// Events for a frame, if they waited long enough, the budget has room and the drain is not capped.
    fn events(&mut self, now: i64) -> Option<Content> {
        let waited = now - self.waiting_since.unwrap_or(now);
        if waited < self.limits.linger_ms && !self.full {
            return None;
        }
        let budget = self.pacing.budget();
        let max_bytes = self.limits.frame_bytes.min(budget / FRAMES_IN_BUDGET);
        if !self.window.is_empty() && self.window.bytes() + max_bytes > budget {
            self.held_by_budget = true;
            self.pacing.handle_held();
            return None;
        }
        let cut = self.chooser.peek();
        self.drain.has_room(now).then_some(Content::Events { max_bytes, cut })
    }

    /// What the broker has already is neither read nor sent.
    fn pass_acknowledged_holes(&mut self) {
        while let Some(hole) = self.holes.iter().find(|hole| hole.end > self.next) {
            let passable = hole.kind == HoleKind::Acknowledged && hole.first <= self.next;
            let Some((run, _)) = self.run_of(self.next).filter(|_| passable) else { return };
            let end = run.end.map_or(hole.end, |end| hole.end.min(end));
            let incarnation = Incarnation(run.incarnation.unwrap_or_default());
            self.window.push_acknowledged(self.next, end, incarnation);
            self.next = end;
        }
    }

    /// The order was carried out; the frame's messages are under way.
    pub fn handle_dispatched(&mut self, order: &Order, done: Dispatched, now: i64) -> Token {
        self.next = done.end;
        self.full = done.end < order.end;
        self.waiting_since = (self.next < self.durable).then_some(now);
        let cut = match order.content {
            Content::Events { cut, .. } => {
                self.chooser.assign(cut, done.end.since(order.first));
                Some(cut)
            }
            Content::Gap { .. } => None,
        };
        self.drain.take(done.bytes, now);
        self.window.push(
            order.first,
            InFlight {
                first: order.first,
                end: done.end,
                bytes: done.bytes,
                outstanding: done.messages,
                watermark: done.watermark,
                incarnation: order.incarnation,
                cut,
                sent_at: now,
            },
        )
    }

    /// A message of a frame was acknowledged. Returns whether the cursor moved.
    pub fn handle_acknowledged(&mut self, token: Token, now: i64) -> bool {
        let before = self.window.cursor();
        if let Some(acked) = self.window.acknowledge(token, now) {
            self.pacing.handle_acknowledged(now - acked.sent_at, now);
            if let Some(cut) = acked.cut {
                *self.acked_bytes.entry(cut).or_default() += acked.bytes as u64;
            }
        }
        self.window.cursor() > before
    }

    /// The producer and all it had in flight is gone: dispatch resumes at the cursor under the plan in force.
    pub fn handle_discarded(&mut self, now: i64) {
        self.window.clear();
        self.next = self.window.cursor();
        self.full = true;
        self.waiting_since = (self.next < self.durable).then_some(now);
    }

    /// A cut whose frames get no acknowledgement while others do, or that a command has left: the producer must be
    /// discarded.
    #[must_use]
    pub fn poll_hanging_path(&self, now: i64) -> Option<Cut> {
        let is_left = |cut| self.plan().shares.as_slice().iter().all(|share| share.cut != cut);
        self.window.hanging(now, self.limits.path_timeout_ms, is_left)
    }

    /// The heartbeat, when one is due and the live incarnation has its number; the `leave` once a leaving device is drained.
    pub fn poll_sign_of_life(&mut self, now: i64) -> Option<SignOfLife> {
        let live = self.live()?;
        if self.stopped || now < self.heartbeat_at {
            return None;
        }
        self.heartbeat_at = now + self.limits.heartbeat_ms;
        let (_, previous) = self.run_at(self.runs.len() - 1);
        Some(SignOfLife {
            is_leave: self.leaving && self.is_drained(),
            incarnation: live,
            previous,
            last: self.acked_seq(),
            watermark: self.window.acked_watermark(live),
            epoch: self.control.plan().epoch,
        })
    }

    /// Whether everything durable is acknowledged.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.window.is_empty() && self.next >= self.durable
    }

    fn run_of(&self, index: Index) -> Option<(Run, Option<Previous>)> {
        let at = self.runs.iter().position(|run| run.contains(index))?;
        Some(self.run_at(at))
    }

    fn run_at(&self, at: usize) -> (Run, Option<Previous>) {
        let begins = |first: &&Index| **first <= self.runs[at].first;
        let version = self.versions.iter().rfind(begins).copied().unwrap_or_default();
        let mut older = self.runs[..at].iter().rev().take_while(|run| run.first >= version);
        let older = older.find(|run| !run.is_empty());
        let previous = older.and_then(|run| {
            let end = Seq(run.seq(run.end?) - 1);
            Some(Previous { incarnation: Incarnation(run.incarnation?), end })
        });
        (self.runs[at], previous)
    }
}

#[cfg(test)]
mod path;
#[cfg(test)]
mod tests;
