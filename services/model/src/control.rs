//! Which plan is in force: the acceptance of routing commands, one input on one device.

use serde::{Deserialize, Serialize};

use crate::{CommandKey, Cut, Epoch, Mode, Refusal, RouteOrder, RoutingCommand, Shares};

/// Whether a person or the controller set the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanMode {
    /// The controller may change it.
    Auto,
    /// Only people may change it.
    Manual,
}

/// The plan that the choice points follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanInForce {
    /// The age of the command that set it.
    pub epoch: Epoch,
    /// Who set it.
    pub mode: PlanMode,
    /// The plan.
    pub shares: Shares,
    /// The first seq dispatched under it.
    pub from_seq: i64,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The plan in force changed.
    Accepted,
    /// The command was accepted before (a re-read of the topic); nothing changed.
    Known,
    /// Nothing changed; the refusal says why.
    Refused(Refusal),
}

/// Decides which plan is in force (DESIGN section 2, RoutingCommand; invariant I7).
///
/// The plan in force is that of the highest epoch ever accepted. Nothing but a newer accepted command changes it:
/// not time, not expiry, not a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    operators: i32,
    plan: PlanInForce,
}

impl Control {
    /// The state before any command: everything leaves at cut 0.
    #[must_use]
    pub fn new(operators: i32) -> Self {
        let plan = PlanInForce {
            epoch: Epoch::LOWEST,
            mode: PlanMode::Auto,
            shares: Shares::binary(Cut(0)),
            from_seq: 0,
        };
        Self { operators, plan }
    }

    /// Takes up a cached plan, or the plan of the last status, if it is newer. Returns whether it was taken. Shares of an
    /// earlier version that this one can't follow become cut 0; their epoch and mode stay.
    pub fn resume(&mut self, plan: PlanInForce) -> bool {
        let take = plan.epoch > self.plan.epoch;
        if take {
            let is_legal = plan.shares.check(self.operators).is_ok();
            let shares = if is_legal { plan.shares } else { Shares::binary(Cut(0)) };
            self.plan = PlanInForce { shares, ..plan };
        }
        take
    }

    /// The plan in force.
    #[must_use]
    pub fn plan(&self) -> &PlanInForce {
        &self.plan
    }

    /// Notes from which seq on the plan in force is followed.
    pub fn set_from_seq(&mut self, from_seq: i64) {
        self.plan.from_seq = from_seq;
    }

    /// Takes a command with the epoch that the broker gave it. `broker_now` is the broker's time, epoch milliseconds.
    pub fn handle_command(
        &mut self,
        key: &CommandKey,
        epoch: Epoch,
        command: &RoutingCommand,
        broker_now: i64,
    ) -> Outcome {
        if epoch <= self.plan.epoch {
            return Outcome::Known;
        }
        match self.judge(key, command, broker_now) {
            Ok((shares, mode)) => {
                self.plan = PlanInForce { epoch, mode, shares, from_seq: self.plan.from_seq };
                Outcome::Accepted
            }
            Err((code, text)) => Outcome::Refused(Refusal { epoch, code: code.to_owned(), text }),
        }
    }

    fn judge(
        &self,
        key: &CommandKey,
        command: &RoutingCommand,
        broker_now: i64,
    ) -> Result<(Shares, PlanMode), (&'static str, String)> {
        let by_person = command.mode != Mode::Auto;
        if by_person != key.manual {
            let rule = "manual and release commands have a key that ends in /manual, automatic ones do not";
            return Err(("wrong_key", format!("{key}: {rule}")));
        }
        let order = command.order(self.operators).map_err(|e| ("illegal_plan", e.to_string()))?;
        if let Some(expires_at) = command.expires_at.filter(|&at| at < broker_now) {
            let late_ms = broker_now - expires_at;
            return Err((
                "expired",
                format!("expired {late_ms} ms before it was read, in broker time"),
            ));
        }
        if let Some(if_epoch) = command.if_epoch.filter(|&epoch| self.plan.epoch > epoch) {
            let text = format!("meant for epoch {if_epoch}, but {} is in force", self.plan.epoch);
            return Err(("stale", text));
        }
        if self.plan.mode == PlanMode::Manual && !by_person {
            return Err(("manual", "a person routes this device; release it first".to_owned()));
        }
        Ok(match order {
            RouteOrder::Route(shares) if by_person => (shares, PlanMode::Manual),
            RouteOrder::Route(shares) => (shares, PlanMode::Auto),
            RouteOrder::Release => (self.plan.shares.clone(), PlanMode::Auto),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(k: i32, mode: Mode) -> RoutingCommand {
        RoutingCommand::route(Shares::binary(Cut(k)), mode, "test", "")
    }

    fn key(text: &str) -> CommandKey {
        text.parse().unwrap()
    }

    fn code(outcome: Outcome) -> String {
        match outcome {
            Outcome::Refused(refusal) => refusal.code,
            other => format!("{other:?}"),
        }
    }

    const AUTO: &str = "q1/readings/pi-1";
    const MANUAL: &str = "q1/readings/pi-1/manual";

    #[test]
    fn a_person_outranks_the_controller_until_the_release() {
        let mut control = Control::new(3);
        let mut send = |k: &str, epoch, command: &RoutingCommand| {
            code(control.handle_command(&key(k), Epoch(epoch), command, 0))
        };
        assert_eq!(send(AUTO, 1, &cut(1, Mode::Auto)), "Accepted");
        assert_eq!(send(MANUAL, 2, &cut(2, Mode::Manual)), "Accepted");
        assert_eq!(send(AUTO, 3, &cut(3, Mode::Auto)), "manual");
        assert_eq!(send(MANUAL, 4, &RoutingCommand::release("test", "")), "Accepted");
        assert_eq!(send(AUTO, 5, &cut(0, Mode::Auto)), "Accepted");
        assert_eq!(send(AUTO, 5, &cut(0, Mode::Auto)), "Known");
    }

    #[test]
    fn a_plan_of_a_longer_version_becomes_cut_0_at_its_epoch() {
        let mut control = Control::new(2);
        let plan = |k, epoch| PlanInForce {
            epoch: Epoch(epoch),
            mode: PlanMode::Manual,
            shares: Shares::binary(Cut(k)),
            from_seq: 0,
        };
        assert!(control.resume(plan(5, 7)));
        assert_eq!(*control.plan(), plan(0, 7));
        assert!(!control.resume(plan(1, 6)));
    }

    #[test]
    fn a_release_keeps_the_plan() {
        let mut control = Control::new(3);
        control.handle_command(&key(MANUAL), Epoch(1), &cut(2, Mode::Manual), 0);
        control.handle_command(&key(MANUAL), Epoch(2), &RoutingCommand::release("test", ""), 0);
        assert_eq!(control.plan().shares, Shares::binary(Cut(2)));
        assert_eq!((control.plan().mode, control.plan().epoch), (PlanMode::Auto, Epoch(2)));
    }

    #[test]
    fn illegal_commands_change_nothing() {
        let mut control = Control::new(3);
        let before = control.clone();
        let both = RoutingCommand { shares: Some(vec![]), ..cut(1, Mode::Manual) };
        let late = RoutingCommand { expires_at: Some(9), ..cut(1, Mode::Manual) };
        let mut send = |k: &str, command: &RoutingCommand| {
            code(control.handle_command(&key(k), Epoch(7), command, 10))
        };
        assert_eq!(send(MANUAL, &cut(4, Mode::Manual)), "illegal_plan");
        assert_eq!(send(MANUAL, &both), "illegal_plan");
        assert_eq!(send(MANUAL, &late), "expired");
        assert_eq!(send(AUTO, &cut(1, Mode::Manual)), "wrong_key");
        assert_eq!(send(MANUAL, &cut(1, Mode::Auto)), "wrong_key");
        assert_eq!(control, before);
    }

    #[test]
    fn if_epoch_is_met_unless_the_epoch_in_force_is_newer() {
        let mut control = Control::new(3);
        control.handle_command(&key(AUTO), Epoch(5), &cut(1, Mode::Auto), 0);
        let conditional =
            |epoch| RoutingCommand { if_epoch: Some(Epoch(epoch)), ..cut(2, Mode::Auto) };
        assert_eq!(code(control.handle_command(&key(AUTO), Epoch(6), &conditional(4), 0)), "stale");
        assert_eq!(
            code(control.handle_command(&key(AUTO), Epoch(7), &conditional(5), 0)),
            "Accepted"
        );
    }

    proptest! {
        /// I7: whatever arrives in whatever order, the plan in force is the accepted one of the highest epoch.
        #[test]
        fn the_highest_accepted_epoch_is_in_force(
            commands in prop::collection::vec((1i64..50, -1i32..5, prop::bool::ANY), 0..40)
        ) {
            let mut control = Control::new(3);
            let mut highest = (Epoch::LOWEST, Shares::binary(Cut(0)));
            for (epoch, k, person) in commands {
                let (k_text, mode) = if person { (MANUAL, Mode::Manual) } else { (AUTO, Mode::Auto) };
                let outcome = control.handle_command(&key(k_text), Epoch(epoch), &cut(k, mode), 0);
                if outcome == Outcome::Accepted {
                    prop_assert!(Epoch(epoch) > highest.0);
                    highest = (Epoch(epoch), Shares::binary(Cut(k)));
                }
                prop_assert_eq!(&control.plan().shares, &highest.1);
                prop_assert_eq!(control.plan().epoch, highest.0);
            }
        }
    }
}
