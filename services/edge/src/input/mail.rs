//! What the shared topics say to an input, and what it does about it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use sluice_model::{
    CommandKey, Cut, DeviceStatus, Epoch, Incarnation, Outcome, Refusal, RouteOrder, RoutingCommand,
};

use super::Mail;
use super::outbox::Sent;
use super::turn::Input;
use crate::deployment;
use crate::frames::dead_event;

impl Input {
    pub(super) fn handle_mail(&mut self, mail: Mail) -> anyhow::Result<()> {
        match mail {
            // Without a number the broker's time is not known yet, so that expiry can't be judged.
            command @ Mail::Command { .. } if self.machine.live().is_none() => {
                self.early.push(command)
            }
            Mail::Command { key, epoch, command, broker_ms } => {
                self.broker_clock.note(broker_ms);
                self.handle_command(&key, epoch, command, broker_ms)?;
            }
            Mail::Generation(generation) => self.identity.handle_generation(generation),
            Mail::Hello { nonce, offset, broker_ms } => {
                self.broker_clock.note(broker_ms);
                if let Some(incarnation) = self.identity.handle_hello(&nonce, offset) {
                    self.handle_number(incarnation)?;
                }
            }
            Mail::Status(status) => self.handle_status(*status)?,
            Mail::Oversize(value) => {
                let reason =
                    format!("an event of {} bytes is larger than the spool takes", value.len());
                let mut dead = dead_event(&self.key, Default::default(), "source", reason, &value);
                (dead.incarnation, dead.seq) = (None, None);
                self.meters.dead("source");
                self.outbox.send_dead(&dead, Sent::Other)?;
            }
            Mail::Refused { refusal, broker_ms } => {
                self.note_outcome(Outcome::Refused(refusal), broker_ms)?
            }
            Mail::Unfit(why) => {
                self.report.unfit = Some(why);
                self.report.touch();
            }
            // One that is superseded must not come back as a newer one.
            Mail::Yield if !self.leaving && !self.report.is_superseded() => {
                self.stop_source.store(true, Ordering::Relaxed);
                self.yielding = true;
            }
            Mail::Yield => {}
            Mail::Leave => {
                self.stop_source.store(true, Ordering::Relaxed);
                self.leaving = true;
            }
            Mail::Stop => {
                self.stop_source.store(true, Ordering::Relaxed);
                self.stop_at = Some(Instant::now() + self.stop_grace);
            }
        }
        Ok(())
    }

    fn handle_command(
        &mut self,
        key: &CommandKey,
        epoch: Epoch,
        command: Result<RoutingCommand, Refusal>,
        broker_ms: i64,
    ) -> anyhow::Result<()> {
        let outcome = match command {
            Ok(command) => match self.lack(&command) {
                Some(text) if epoch > self.machine.plan().epoch => {
                    Outcome::Refused(Refusal { epoch, code: "not_ready".to_owned(), text })
                }
                _ => self.machine.handle_command(key, epoch, &command, self.broker_clock.now()),
            },
            Err(refusal) if refusal.epoch > self.machine.plan().epoch => Outcome::Refused(refusal),
            Err(_) => Outcome::Known,
        };
        self.note_outcome(outcome, broker_ms)
    }

    /// Why the newest version can't follow a command now, for lack of an engine.
    fn lack(&mut self, command: &RoutingCommand) -> Option<String> {
        let builder = self.versions.newest();
        let Ok(RouteOrder::Route(shares)) = command.order(builder.all().0) else { return None };
        let cuts = shares.as_slice().iter().map(|share| share.cut);
        let highest = cuts.max().unwrap_or(Cut(0));
        if highest == Cut(0) { None } else { builder.lack(highest) }
    }

    fn note_outcome(&mut self, outcome: Outcome, broker_ms: i64) -> anyhow::Result<()> {
        match outcome {
            Outcome::Known => return Ok(()),
            Outcome::Accepted => {
                let plan = self.machine.plan();
                self.meters.command("accepted");
                tracing::info!(input = %self.key, epoch = %plan.epoch, from_seq = plan.from_seq, "route: {}", plan.shares);
                self.store_plan()?;
            }
            Outcome::Refused(refusal) => {
                self.meters.command(&refusal.code);
                tracing::warn!(input = %self.key, code = refusal.code, epoch = %refusal.epoch, "command refused: {}", refusal.text);
                self.report.note_refusal(refusal, broker_ms);
            }
        }
        self.report.touch();
        Ok(())
    }

    fn store_plan(&mut self) -> anyhow::Result<()> {
        self.deployment.plan = Some(self.machine.plan().clone());
        deployment::store(&self.folder, &self.deployment)
    }

    fn handle_number(&mut self, incarnation: Incarnation) -> anyhow::Result<()> {
        self.spool.number_start(incarnation.0)?;
        self.machine.handle_numbered(self.spool.runs());
        self.readiness.ready(&self.key.to_string());
        self.report.touch();
        tracing::info!(input = %self.key, %incarnation, "numbered by the broker; dispatch begins");
        let early = std::mem::take(&mut self.early);
        early.into_iter().try_for_each(|mail| self.handle_mail(mail))
    }

    fn handle_status(&mut self, status: DeviceStatus) -> anyhow::Result<()> {
        if let Some(incarnation) = status.incarnation {
            self.identity.handle_status(incarnation);
        }
        if let Some(plan) = status.plan
            && self.machine.handle_last_plan(plan)
        {
            tracing::info!(input = %self.key, "took the plan of the last status: {}", self.machine.plan().shares);
            self.store_plan()?;
        }
        if let Some(newer) = self.identity.superseded_by()
            && !self.report.is_superseded()
        {
            self.machine.handle_superseded();
            self.stop_source.store(true, Ordering::Relaxed);
            let why =
                format!("incarnation {newer} of this input lives elsewhere; the spool is kept");
            tracing::error!(input = %self.key, "stopped: {why}");
            self.readiness.wait_for(&self.key.to_string(), &why);
            self.report.supersede();
        }
        Ok(())
    }
}
