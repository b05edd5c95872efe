//! I7: the plan in force, against the plainest reading of all commands.

use sluice_model::{Cut, Epoch, Share, Shares};

use crate::plot::{Action, Command};
use crate::world::World;

/// What a device should follow.
struct Expected {
    epoch: Epoch,
    manual: bool,
    shares: Shares,
}

impl Expected {
    fn follow(&mut self, epoch: Epoch, command: &Command, if_epoch: Option<Epoch>, cuts: i32) {
        let stale = if_epoch.is_some_and(|if_epoch| self.epoch > if_epoch);
        if stale || (self.manual && !command.manual) {
            return;
        }
        if let Some(shares) = &command.shares {
            if shares.iter().any(|(cut, _)| *cut > cuts) {
                return;
            }
            let share =
                |(cut, per_mille): &(i32, i32)| Share { cut: Cut(*cut), per_mille: *per_mille };
            let Ok(shares) = Shares::new(shares.iter().map(share).collect()) else { return };
            self.shares = shares;
        }
        self.manual = command.manual && command.shares.is_some();
        self.epoch = epoch;
    }
}

/// Judges a device whose agent saw every command: none expired on the way, and none was compacted away.
pub(super) fn judge(world: &mut World, device: usize) {
    let scenario = world.context.scenario.clone();
    let compacted = scenario.plot.iter().any(|step| step.action == Action::Compact);
    let agent = world.copies.iter().find(|copy| copy.device == device && copy.enabled);
    let Some(agent) = agent.and_then(|copy| copy.agent.as_ref()) else { return };
    if world.context.meddled[device] || compacted {
        return;
    }
    let mut expected =
        Expected { epoch: Epoch::LOWEST, manual: false, shares: Shares::binary(Cut(0)) };
    for sent in &world.commands {
        if sent.command.device.is_some_and(|of| of != device) {
            continue;
        }
        if sent.command.expires_in_ms.is_some() {
            return;
        }
        let Some(offset) = sent.offset else { return };
        let epoch = Epoch::of_command(1, offset);
        expected.follow(epoch, &sent.command, sent.if_epoch, scenario.operators);
    }
    let plan = agent.machine.plan();
    if (plan.epoch, &plan.shares) != (expected.epoch, &expected.shares) {
        let text = format!(
            "d{device} follows {:?}, expected are {:?} of {:?}",
            plan, expected.shares, expected.epoch
        );
        world.context.fail("I7 plan", text);
    } else {
        world.context.tally.plans += 1;
    }
}
