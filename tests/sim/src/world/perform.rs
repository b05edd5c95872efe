//! What the steps of the plot do, and the end of the faults.

use std::rc::Rc;

use sluice_model::{
    CommandKey, Cut, Epoch, Mode, RouteOrder, RoutingCommand, Share, Shares, Target,
};

use super::{Phase, Sent, World, at};
use crate::agent::Copy;
use crate::broker::{Client, Sender, Topic, Value};
use crate::context::{Happening, SIGN_OF_LIFE};
use crate::disk::Disk;
use crate::mutation::Mutation;
use crate::plot::{Action, Command, CrashPoint};
use crate::scenario::Class;
use crate::stage::Stage;

/// How long before the end of a hanging path it is judged.
const BEFORE_END_MS: i64 = 100;

impl World {
    pub(super) fn perform(&mut self, action: &Action) {
        let now = self.context.now_ms;
        match action {
            Action::Crash { device, at: point, down_ms } => self.crash(*device, *point, *down_ms),
            Action::DeleteSpool { device, down_ms } => {
                if let Some(copy) = self.meddle(*device) {
                    self.stop(copy);
                    self.copies[copy].disk =
                        Some(Disk::new(self.context.scenario.devices[*device].spill));
                    self.context.schedule(now + down_ms, Happening::Start(copy));
                }
            }
            Action::BackUp { device } => {
                let copy = self.a_copy(*device);
                let machine = &mut self.copies[copy];
                if !self.context.scenario.devices[*device].steady {
                    machine.backup = machine.disk.as_ref().map(Disk::copy);
                }
            }
            Action::RestoreBackup { device } => self.restore_backup(*device),
            Action::Clone { device } => {
                if let Some(copy) = self.meddle(*device)
                    && let Some(disk) = self.copies[copy].disk.as_ref().map(Disk::copy)
                {
                    self.note_copied(&disk);
                    self.add_copy(*device, disk);
                }
            }
            Action::Twin { device } => {
                if self.meddle(*device).is_some() {
                    let spill = self.context.scenario.devices[*device].spill;
                    self.add_copy(*device, Disk::new(spill));
                }
            }
            Action::Destroy { device } => self.destroy(*device),
            Action::Silence { device, for_ms } => {
                if !self.context.scenario.devices[*device].steady {
                    self.each(*device, |copy| copy.silent_until_ms = now + for_ms);
                }
            }
            Action::ShiftClock { device, by_ms } => {
                self.each(*device, |copy| copy.clock_shift_ms = *by_ms);
            }
            Action::CutLink { device, for_ms } => self.each(*device, |copy| {
                copy.cut_until_ms = now + for_ms;
                copy.disturbed_ms = now + for_ms;
            }),
            Action::FailDelivery { device } => self.each(*device, |copy| {
                copy.disturbed_ms = now;
                if let Some(agent) = copy.agent.as_mut() {
                    agent.fail();
                }
            }),
            Action::Leave { device, back_ms } => self.leave(*device, *back_ms),
            Action::Hang { stage, partition, for_ms } => {
                let topic = Topic::Stage { stage: *stage, partition: *partition };
                self.context.broker.hang(topic, now + for_ms);
                let judged_ms = now + for_ms - BEFORE_END_MS;
                self.context.schedule(judged_ms, Happening::JudgePath(topic));
            }
            Action::PauseBroker { for_ms } => {
                self.context.broker.pause(now + for_ms);
                self.copies.iter_mut().for_each(|copy| copy.disturbed_ms = now + for_ms);
            }
            Action::LoseAcknowledged { stage, partition } => self.lose(*stage, *partition, false),
            Action::Tear { partition } => {
                self.lose(self.context.scenario.operators + 1, *partition, true);
            }
            Action::CrashReplica { stage, member, down_ms } => {
                let group = &mut self.stages[at(*stage)];
                if group.crash(&mut self.context, &self.program, *member) {
                    self.context.schedule(now + down_ms, Happening::ReplicaBack(*stage, *member));
                }
            }
            Action::FailReplica { stage, member } => self.stages[at(*stage)].fail(*member),
            Action::Rebalance { stage, partition, zombie_ms } => {
                if let Some(former) = self.stages[at(*stage)].rebalance(*partition) {
                    self.context.tally.zombies += 1;
                    let learns = Happening::Revoke(*stage, former, *partition);
                    self.context.schedule(now + zombie_ms, learns);
                }
            }
            Action::Restore { partition, older } => {
                self.readers[usize::try_from(*partition).unwrap_or(0)]
                    .restore(&mut self.context, *older);
            }
            Action::PauseReader { partition, for_ms } => {
                let reader = &mut self.readers[usize::try_from(*partition).unwrap_or(0)];
                reader.paused_until_ms = now + for_ms;
            }
            Action::Route(command) => self.route(command),
            Action::Compact => {
                self.context.broker.compact(Topic::Status);
                self.context.broker.compact(Topic::Control);
            }
        }
    }

    /// The copies of a device, by their numbers.
    fn copies_of(&self, device: usize) -> Vec<usize> {
        let copies = self.copies.iter().filter(|copy| copy.device == device);
        copies.map(|copy| copy.number).collect()
    }

    /// One of the copies of a device.
    fn a_copy(&self, device: usize) -> usize {
        let copies = self.copies_of(device);
        copies[usize::try_from(self.context.now_ms).unwrap_or(0) % copies.len()]
    }

    fn each(&mut self, device: usize, act: impl Fn(&mut Copy)) {
        self.copies.iter_mut().filter(|copy| copy.device == device).for_each(act);
    }

    fn stop(&mut self, copy: usize) {
        self.copies[copy].crash(&mut self.context);
    }

    fn crash(&mut self, device: usize, point: CrashPoint, down_ms: i64) {
        let copy = self.a_copy(device);
        if point == CrashPoint::Anywhere {
            if self.copies[copy].agent.is_some() {
                self.stop(copy);
                let back_ms = self.context.now_ms + down_ms;
                self.context.schedule(back_ms, Happening::Start(copy));
            }
        } else {
            self.copies[copy].armed = Some((point, down_ms));
            if matches!(
                point,
                CrashPoint::HelloSent | CrashPoint::NumberRead | CrashPoint::Numbered
            ) {
                // These points come with a start.
                self.stop(copy);
                self.copies[copy].armed = Some((point, down_ms));
                self.context.schedule(self.context.now_ms + down_ms / 4, Happening::Start(copy));
            }
        }
    }

    /// A copy of a device whose identity may be meddled with.
    fn meddle(&mut self, device: usize) -> Option<usize> {
        let spec = &self.context.scenario.devices[device];
        let leaves = |copy: &Copy| copy.device == device && (copy.leaving || copy.left);
        if spec.steady || self.destroyed[device] || self.copies.iter().any(leaves) {
            return None;
        }
        self.context.meddled[device] = true;
        Some(self.a_copy(device))
    }

    /// Events that a disk and its copy hold without a number come once from each.
    fn note_copied(&mut self, copy: &Disk) {
        for id in copy.unnumbered().to_vec() {
            self.context.truth.event_mut(id).unnumbered_copies += 1;
        }
    }

    fn restore_backup(&mut self, device: usize) {
        let Some(copy) = self.meddle(device) else { return };
        let Some(backup) = self.copies[copy].backup.clone() else { return };
        self.stop(copy);
        // What had no number then may have been sent under one since.
        self.note_copied(&backup);
        self.copies[copy].disk = Some(backup);
        self.context.schedule(self.context.now_ms + 100, Happening::Start(copy));
    }

    fn add_copy(&mut self, device: usize, disk: Disk) {
        let number = self.copies.len();
        let mut copy = Copy::new(number, device, disk, self.context.scenario.seed);
        let first = self.copies.iter().find(|copy| copy.device == device);
        copy.clock_shift_ms = first.map_or(0, |copy| copy.clock_shift_ms);
        self.copies.push(copy);
        let now = self.context.now_ms;
        self.context.schedule(now + 50, Happening::Start(number));
        self.context.schedule(now + 60, Happening::Source(number));
    }

    fn destroy(&mut self, device: usize) {
        if self.context.scenario.devices[device].steady {
            return;
        }
        self.destroyed[device] = true;
        for copy in 0..self.copies.len() {
            if self.copies[copy].device == device {
                self.stop(copy);
                self.copies[copy].enabled = false;
                self.copies[copy].disk = None;
            }
        }
    }

    fn leave(&mut self, device: usize, back_ms: Option<i64>) {
        let copies = self.copies_of(device);
        let steady = self.context.scenario.devices[device].steady;
        if let [copy] = copies[..]
            && !steady
            && !self.destroyed[device]
        {
            self.copies[copy].leaving = true;
            // A version that retires gets no new devices.
            let retiring = self.context.scenario.class == Class::Retiring;
            if let Some(back_ms) = back_ms.filter(|_| !retiring) {
                self.context.schedule(self.context.now_ms + back_ms, Happening::Join(device));
            }
        }
    }

    pub(super) fn join(&mut self, device: usize) {
        let copy = self.a_copy(device);
        if self.destroyed[device] || !self.copies[copy].enabled {
            return;
        }
        let now = self.context.now_ms;
        if !self.copies[copy].left {
            return self.context.schedule(now + 200, Happening::Join(device));
        }
        self.copies[copy].left = false;
        self.copies[copy].leaving = false;
        self.rejoined[device] = true;
        let id = self.context.scenario.devices[device].id.clone();
        let partition = self.partition_of(device);
        self.readers[partition].join(device, &id);
        self.context.schedule(now + 20, Happening::Start(copy));
    }

    fn lose(&mut self, stage: i32, partition: i32, only_tears: bool) {
        let topic = Topic::Stage { stage, partition };
        let last = self.context.scenario.operators;
        // What was read cannot be taken back any more.
        let behind = if stage > last {
            self.readers[usize::try_from(partition).unwrap_or(0)].position
        } else {
            self.stages[at(stage)].committed[usize::try_from(partition).unwrap_or(0)]
        };
        let lost = self.context.broker.lose(topic, behind, only_tears);
        for record in lost {
            self.note_lost(stage, &record.value);
        }
    }

    fn note_lost(&mut self, stage: i32, value: &Value) {
        let Value::Frame(payload) = value else { return };
        let schema = crate::scenario::SCHEMA_IDS + stage - 1;
        let Ok(frame) = sluice_wire::decode_frame(payload, schema, &sluice_wire::Type::Long) else {
            return;
        };
        let device = crate::reader::place(&frame.header.device);
        for seq in frame.header.first.0..=frame.header.last.0 {
            let known = self.context.truth.numbered(device, frame.header.incarnation.0, seq);
            if let Some(id) = known {
                self.context.truth.event_mut(id).lost_by_broker = true;
            }
        }
    }

    fn route(&mut self, command: &Command) {
        let key = Copy::key(&self.context, command.device.unwrap_or(0));
        let device = command.device.map(|_| key.device.clone());
        let target = Target { device, ..key.target() };
        let mode = match (&command.shares, command.manual) {
            (None, _) => Mode::Release,
            (Some(_), true) => Mode::Manual,
            (Some(_), false) => Mode::Auto,
        };
        let plan = command.shares.as_ref().and_then(|shares| {
            let share =
                |(cut, per_mille): &(i32, i32)| Share { cut: Cut(*cut), per_mille: *per_mille };
            Shares::new(shares.iter().map(share).collect()).ok()
        });
        let mut value = RoutingCommand::release("sim", "");
        if let Some(plan) = plan {
            value = RoutingCommand::route(plan, mode, "sim", "");
        }
        value.expires_at = command.expires_in_ms.map(|for_ms| self.context.now_ms + for_ms);
        let last = command.if_last.and_then(|back| self.commands.iter().rev().nth(back)?.offset);
        value.if_epoch = last.map(|offset| Epoch::of_command(1, offset));
        debug_assert!(
            value
                .order(9)
                .is_ok_and(|order| matches!(order, RouteOrder::Route(_) | RouteOrder::Release))
        );
        let key = CommandKey { target, manual: command.manual };
        let (if_epoch, command) = (value.if_epoch, command.clone());
        self.commands.push(Sent { offset: None, if_epoch, command });
        let sender = Sender { client: Client::Issuer, producer: 0, token: SIGN_OF_LIFE };
        let now = self.context.now_ms;
        self.context.send(Topic::Control, Value::Command(key, Rc::new(value)), sender, now);
    }

    /// Everything is whole again. Devices with several copies drain them one after the other.
    pub(super) fn heal(&mut self) {
        self.context.tell(|| "------ everything is whole again".into());
        let now = self.context.now_ms;
        self.context.broker.heal();
        let retiring = self.context.scenario.class == Class::Retiring;
        for copy in 0..self.copies.len() {
            let device = self.copies[copy].device;
            let several = self.copies.iter().filter(|other| other.device == device).count() > 1;
            let first = self.copies.iter().position(|other| other.device == device) == Some(copy);
            if several {
                self.stop(copy);
                self.copies[copy].enabled = first && !self.destroyed[device];
            }
            let steady = self.context.scenario.devices[device].steady;
            let machine = &mut self.copies[copy];
            machine.armed = None;
            machine.cut_until_ms = 0;
            machine.source_on = steady && !retiring;
            self.context.schedule(now + 50, Happening::Start(copy));
        }
        for stage in &mut self.stages {
            (0..stage.members.len()).for_each(|member| stage.revive(member));
        }
        if self.context.breaks(Mutation::RetiresEarly) && retiring {
            self.retired = true;
            self.stages.iter_mut().for_each(Stage::retire);
        }
        self.readers.iter_mut().for_each(|reader| reader.paused_until_ms = 0);
        self.phase = Phase::Draining { since_ms: now };
        self.context.schedule(now + 200, Happening::Watch);
    }

    /// Where a device has several copies and the present one is drained, the next one begins. True if none is left.
    pub(super) fn next_copy(&mut self) -> bool {
        let mut all = true;
        for device in 0..self.destroyed.len() {
            let numbers = self.copies_of(device);
            let Some(place) = numbers.iter().position(|copy| self.copies[*copy].enabled) else {
                continue;
            };
            let Some(next) = numbers.get(place + 1).copied() else { continue };
            all = false;
            let present = numbers[place];
            if self.copies[present].is_drained() {
                self.stop(present);
                self.copies[present].enabled = false;
                self.copies[next].enabled = true;
                self.context.schedule(self.context.now_ms + 50, Happening::Start(next));
            }
        }
        all
    }
}
