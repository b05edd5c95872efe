//! What the shared topics say to an agent, and what it does about it (the order of its shell).

use sluice_model::{CommandKey, Epoch, Incarnation, Outcome, RoutingCommand};

use super::{Copy, Crashed};
use crate::broker::{Topic, Value};
use crate::context::Context;
use crate::mutation::Mutation;
use crate::plot::CrashPoint;

/// How long a record needs to a follower.
const LAG_MS: i64 = 15;

impl Copy {
    /// Reads what is new in the shared topics.
    pub(super) fn read_mail(&mut self, context: &mut Context) -> Result<(), Crashed> {
        if self.cut_until_ms > context.now_ms
            || context.broker.up_at_ms(Topic::Status) > context.now_ms
        {
            return Ok(());
        }
        self.read_control(context);
        self.read_status(context)
    }

    fn read_control(&mut self, context: &mut Context) {
        loop {
            let Some(agent) = self.agent.as_mut() else { return };
            let log = context.broker.log(Topic::Control);
            let record = log
                .at(agent.control_at)
                .filter(|record| record.append_ms + LAG_MS <= context.now_ms);
            let Some(record) = record else { return };
            agent.control_at = record.offset + 1;
            let (offset, broker_ms) = (record.offset, record.append_ms);
            match &record.value {
                Value::Generation(generation) => agent.control_generation = Some(*generation),
                Value::Command(key, command) => {
                    let Some(generation) = agent.control_generation else { continue };
                    let device = Self::key(context, self.device);
                    if !key.target.covers(&device) {
                        continue;
                    }
                    let epoch = Epoch::of_command(generation, offset);
                    let (key, command) = (key.clone(), (**command).clone());
                    if agent.machine.live().is_none() {
                        agent.early.push((key, epoch, command, broker_ms));
                    } else {
                        self.handle_command(context, &key, epoch, &command, broker_ms);
                    }
                }
                _ => {}
            }
        }
    }

    fn handle_command(
        &mut self,
        context: &mut Context,
        key: &CommandKey,
        epoch: Epoch,
        command: &RoutingCommand,
        broker_ms: i64,
    ) {
        let Some(agent) = self.agent.as_mut() else { return };
        agent.note_broker(broker_ms, context.now_ms);
        let broker_now = agent.broker_now(context.now_ms);
        let before = agent.machine.plan().epoch;
        let outcome = agent.machine.handle_command(key, epoch, command, broker_now);
        if outcome == Outcome::Accepted {
            if agent.machine.plan().epoch <= before {
                context.fail("I7 plan", format!("{epoch} was accepted, {before} was in force"));
            }
            context.tally.commands += 1;
            self.store_plan(context);
        }
        context.tally.refusals += u64::from(matches!(outcome, Outcome::Refused(_)));
        context.tell(|| format!("copy {}: command {} {outcome:?}", self.number, epoch.parts().1));
    }

    fn store_plan(&mut self, context: &Context) {
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_mut()) else { return };
        disk.plan = Some(agent.machine.plan().clone());
        agent.status_due_ms = 0;
        self.routed_ms = context.now_ms;
    }

    fn read_status(&mut self, context: &mut Context) -> Result<(), Crashed> {
        loop {
            let Some(agent) = self.agent.as_mut() else { return Ok(()) };
            let log = context.broker.log(Topic::Status);
            let record = log
                .at(agent.status_at)
                .filter(|record| record.append_ms + LAG_MS <= context.now_ms);
            let Some(record) = record else { return Ok(()) };
            agent.status_at = record.offset + 1;
            let (offset, broker_ms) = (record.offset, record.append_ms);
            match &record.value {
                Value::Generation(generation) => agent.identity.handle_generation(*generation),
                Value::Hello(device, nonce) if *device == self.device => {
                    let nonce = nonce.clone();
                    self.handle_hello(context, &nonce, offset, broker_ms)?;
                }
                Value::Status(device, status) if *device == self.device => {
                    let status = status.clone();
                    if let Some(incarnation) = status.incarnation {
                        agent.identity.handle_status(incarnation);
                    }
                    let plan = status.plan.clone();
                    let heeded = !context.breaks(Mutation::IgnoresLastPlan);
                    if let Some(plan) = plan.filter(|_| heeded)
                        && agent.machine.handle_last_plan(plan)
                    {
                        self.store_plan(context);
                    }
                    let ignores = context.breaks(Mutation::DispatchesBeforeHello);
                    self.heed_newer(context, ignores);
                }
                _ => {}
            }
        }
    }

    fn handle_hello(
        &mut self,
        context: &mut Context,
        nonce: &str,
        offset: i64,
        broker_ms: i64,
    ) -> Result<(), Crashed> {
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        agent.note_broker(broker_ms, context.now_ms);
        if context.breaks(Mutation::HelloStops)
            && nonce != agent.identity.nonce()
            && agent
                .identity
                .incarnation()
                .is_some_and(|own| own < Incarnation::of_hello(1, offset))
        {
            agent.machine.handle_superseded();
            agent.superseded = true;
        }
        if agent.machine.live().is_some() {
            return Ok(());
        }
        if let Some(incarnation) = agent.identity.handle_hello(nonce, offset) {
            self.at(CrashPoint::NumberRead)?;
            self.handle_number(context, incarnation)?;
        }
        Ok(())
    }

    fn handle_number(
        &mut self,
        context: &mut Context,
        incarnation: Incarnation,
    ) -> Result<(), Crashed> {
        let durably = !context.breaks(Mutation::VolatileNumber);
        let (Some(agent), Some(disk)) = (self.agent.as_mut(), self.disk.as_mut()) else {
            return Ok(());
        };
        agent.machine.handle_numbered(disk.number_start(incarnation.0, durably));
        agent.status_due_ms = 0;
        let number = self.number;
        context.tell(|| format!("copy {number} is incarnation {}", incarnation.0 % (1 << 40)));
        self.at(CrashPoint::Numbered)?;
        let early = self.agent.as_mut().map(|agent| std::mem::take(&mut agent.early));
        for (key, epoch, command, broker_ms) in early.into_iter().flatten() {
            self.handle_command(context, &key, epoch, &command, broker_ms);
        }
        Ok(())
    }

    fn heed_newer(&mut self, context: &mut Context, ignores: bool) {
        let Some(agent) = self.agent.as_mut() else { return };
        if agent.identity.superseded_by().is_some() && !agent.superseded && !ignores {
            agent.machine.handle_superseded();
            agent.superseded = true;
            context.tally.superseded += 1;
            context.tell(|| format!("copy {} stops: a newer incarnation lives", self.number));
        }
    }
}
