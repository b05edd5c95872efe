//! The turn of an agent, in the order of its shell: mail, deliveries, dispatch, signs of life, reports.

use std::rc::Rc;

use sluice_model::{DeviceStatus, Hello};
use sluice_spool::Index;

use super::{Agent, Copy, Crashed, STATUS_MS, Sent};
use crate::broker::{Topic, Value};
use crate::context::{Context, Happening};
use crate::events::Fate;
use crate::mutation::Mutation;
use crate::plot::CrashPoint;

/// So many records are dropped at once where there is no room.
const DROPPED: u64 = 8;

impl Copy {
    /// One turn.
    ///
    /// # Errors
    /// [`Crashed`] when it died on the way.
    pub fn turn(&mut self, context: &mut Context) -> Result<(), Crashed> {
        if self.agent.is_none() {
            return Ok(());
        }
        self.read_mail(context)?;
        self.handle_deliveries(context)?;
        self.dispatch_all(context)?;
        self.send_signs_of_life(context)?;
        self.send_status(context);
        let next_ms = context.now_ms + self.dice.within(3, 30);
        context.schedule(next_ms, Happening::AgentTurn(self.number));
        Ok(())
    }

    /// The source has an event.
    ///
    /// # Errors
    /// [`Crashed`] when the agent died of it.
    pub fn accept(&mut self, context: &mut Context) -> Result<(), Crashed> {
        let scenario = context.scenario.clone();
        let spec = &scenario.devices[self.device];
        let backlog = self.disk.as_ref().map_or(0, |disk| disk.backlog());
        if spec.room.is_some_and(|room| backlog >= room) {
            self.wants_drop = true;
        } else if self.is_taking() && self.silent_until_ms <= context.now_ms {
            let clock_ms = context.now_ms + self.clock_shift_ms;
            let time_ms = clock_ms - self.dice.roll(spec.disorder_ms + 1);
            let operator =
                i32::try_from(self.dice.within(1, i64::from(scenario.operators))).unwrap_or(1);
            let fate = if self.dice.chance(spec.filtered) {
                Fate::FilteredAt(operator)
            } else if self.dice.chance(spec.dead) {
                Fate::DeadAt(operator)
            } else if self.dice.chance(5) {
                Fate::Doubled
            } else {
                Fate::Passes
            };
            let id = context.truth.take(self.device, time_ms, fate);
            if let Some(disk) = self.disk.as_mut() {
                disk.append(id);
                self.taken_ms.push((context.now_ms, disk.next_index()));
            }
            self.at(CrashPoint::Appended)?;
        }
        self.sync_soon(context);
        Ok(())
    }

    /// Whether events are taken.
    pub(super) fn is_taking(&self) -> bool {
        self.source_on
            && !self.leaving
            && self.agent.as_ref().is_some_and(|agent| !agent.superseded)
    }

    fn sync_soon(&mut self, context: &mut Context) {
        if !self.syncing
            && self.disk.as_ref().is_some_and(|disk| disk.durable() < disk.next_index())
        {
            self.syncing = true;
            let at_ms = context.now_ms + self.dice.within(1, 40);
            context.schedule(at_ms, Happening::Synced(self.number));
        }
    }

    /// A group commit ends.
    ///
    /// # Errors
    /// [`Crashed`] when the agent died before anyone knew.
    pub fn synced(&mut self, context: &mut Context) -> Result<(), Crashed> {
        if !std::mem::take(&mut self.syncing) || self.agent.is_none() {
            return Ok(());
        }
        let Some(disk) = self.disk.as_mut() else { return Ok(()) };
        let durable = disk.sync(disk.next_index()).to_vec();
        if self.dice.chance(20) {
            disk.write();
        }
        self.at(CrashPoint::Synced)?;
        for id in durable {
            context.truth.event_mut(id).durable = true;
        }
        Ok(())
    }

    fn handle_deliveries(&mut self, context: &mut Context) -> Result<(), Crashed> {
        let now = context.now_ms;
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        let before = agent.machine.cursor();
        let mut acknowledged = false;
        for token in std::mem::take(&mut agent.inbox) {
            match agent.outstanding.remove(&token) {
                Some(Sent::Frame(token)) => {
                    acknowledged = true;
                    agent.machine.handle_acknowledged(token, now);
                }
                Some(Sent::Leave) => self.left = true,
                _ => {}
            }
        }
        let cursor = agent.machine.cursor();
        if cursor > before {
            self.moved_ms = now;
            self.note_cursor(context, before, cursor);
        }
        if self.left {
            context.tell(|| format!("copy {}: the leave was acknowledged", self.number));
            self.agent = None;
            return Ok(());
        }
        if acknowledged {
            self.at(CrashPoint::Acknowledged)?;
        }
        self.keep_cursor(context, cursor)?;
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        if std::mem::take(&mut self.wants_drop) {
            self.drop_oldest(context);
        } else if std::mem::take(&mut agent.failing) {
            self.discard(context, "a delivery failed");
        } else if let Some(cut) = agent.machine.poll_hanging_path(now)
            && !context.breaks(Mutation::NoPathTimeout)
        {
            self.discard(context, &format!("cut {cut} hangs"));
        }
        Ok(())
    }

    fn keep_cursor(&mut self, context: &mut Context, cursor: Index) -> Result<(), Crashed> {
        let now = context.now_ms;
        let next_ms = now + self.dice.within(200, 1_500);
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_mut()) else {
            return Ok(());
        };
        if context.breaks(Mutation::DeletesBeforeCursor) {
            disk.free(cursor);
        }
        if now >= agent.cursor_due_ms {
            agent.cursor_due_ms = next_ms;
            disk.persist_cursor(cursor);
            self.at(CrashPoint::CursorPersisted)?;
            if let Some(disk) = self.disk.as_mut() {
                disk.free(cursor);
            }
        }
        Ok(())
    }

    /// Makes room: the oldest records are given up, but for those that the broker has.
    fn drop_oldest(&mut self, context: &mut Context) {
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_mut()) else { return };
        let cursor = agent.machine.cursor();
        let to = disk.floor().max(cursor).plus(DROPPED).min(disk.durable());
        if to <= disk.floor() {
            return;
        }
        let ahead = agent.machine.acknowledged_ahead();
        let ranges = ahead.iter().flat_map(|range| range.start.0..range.end.0.min(to.0));
        let known: Vec<u64> = ranges.filter(|index| !disk.is_gap(*index)).collect();
        let told = if context.breaks(Mutation::GapsCoverAcknowledged) { &[][..] } else { &ahead };
        disk.drop_oldest(to, cursor, told);
        if let Some(index) = known.iter().find(|index| disk.is_gap(**index)) {
            context.fail("I1 gap", format!("record {index} was acknowledged and is given up"));
        }
        agent.machine.handle_holes(disk.holes());
        context.tally.drops += 1;
        self.discard(context, "the oldest events are dropped");
    }

    /// Throws the producer away with all it has in flight.
    fn discard(&mut self, context: &mut Context, why: &str) {
        context.tell(|| format!("copy {} discards its producer: {why}", self.number));
        context.tally.discards += 1;
        let pause_ms = self.dice.within(0, 300);
        let Some(agent) = self.agent.as_mut() else { return };
        agent.producer = context.broker.producer();
        agent.outstanding.clear();
        agent.resume_ms = context.now_ms + pause_ms;
        agent.machine.handle_discarded(context.now_ms);
    }

    fn dispatch_all(&mut self, context: &mut Context) -> Result<(), Crashed> {
        let now = context.now_ms;
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_ref()) else {
            return Ok(());
        };
        agent.machine.handle_durable(disk.durable(), now);
        if self.leaving && disk.durable() == disk.next_index() {
            agent.machine.handle_leaving();
        }
        if now < agent.resume_ms {
            return Ok(());
        }
        while let Some(order) =
            self.agent.as_mut().and_then(|agent| agent.machine.poll_dispatch(now))
        {
            self.dispatch(context, &order)?;
        }
        self.sync_soon(context);
        Ok(())
    }

    fn send_signs_of_life(&mut self, context: &mut Context) -> Result<(), Crashed> {
        let now = context.now_ms;
        let started_at = now + self.clock_shift_ms;
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        if agent.is_free(Sent::Hello) && agent.identity.poll_hello(now - agent.started_ms) {
            let hello = Hello { nonce: agent.identity.nonce().to_owned(), started_at };
            let value = Value::Hello(self.device, hello.nonce);
            self.send(context, Topic::Status, value, Sent::Hello);
            self.at(CrashPoint::HelloSent)?;
        }
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        if agent.is_free(Sent::SignOfLife)
            && agent.is_free(Sent::Leave)
            && let Some(sign) = agent.machine.poll_sign_of_life(now)
        {
            self.send_sign_of_life(context, &sign);
        }
        Ok(())
    }

    fn send_status(&mut self, context: &mut Context) {
        let now = context.now_ms;
        let Some(agent) = self.agent.as_mut() else { return };
        if now < agent.status_due_ms || now < agent.resume_ms || !agent.is_free(Sent::Status) {
            return;
        }
        if agent.machine.live().is_none() || agent.superseded {
            return;
        }
        let plan = agent.machine.plan().clone();
        if plan.epoch < agent.epoch_before {
            let text = format!(
                "{} is in force, but {} was accepted before the start",
                plan.epoch, agent.epoch_before
            );
            context.fail("I7 plan", text);
        }
        agent.status_due_ms = now + STATUS_MS;
        let status = DeviceStatus {
            incarnation: agent.machine.live(),
            plan: Some(plan),
            acked_seq: agent.machine.acked_seq(),
            ..DeviceStatus::empty(now + self.clock_shift_ms)
        };
        let value = Value::Status(self.device, Rc::new(status));
        self.send(context, Topic::Status, value, Sent::Status);
    }
}

impl Agent {
    pub(super) fn is_free(&self, kind: Sent) -> bool {
        !self.outstanding.values().any(|sent| *sent == kind)
    }

    /// The next delivery fails.
    pub fn fail(&mut self) {
        self.failing = true;
    }

    pub(super) fn note_broker(&mut self, broker_ms: i64, now_ms: i64) {
        if broker_ms > self.broker_now(now_ms) {
            self.broker_seen = Some((broker_ms, now_ms));
        }
    }

    pub(super) fn broker_now(&self, now_ms: i64) -> i64 {
        self.broker_seen.map_or(0, |(at, seen)| at + (now_ms - seen))
    }
}
