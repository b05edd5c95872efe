//! The world: all actors and the order in which things happen to them.

mod perform;

use std::rc::Rc;

use sluice_model::Epoch;
use sluice_spool::Index;

use crate::agent::{Copy, Crashed};
use crate::broker::{Client, Sender, Topic, Value};
use crate::context::{Context, Failure, Happening};
use crate::disk::Disk;
use crate::events::Program;
use crate::mutation::Mutation;
use crate::plot::Command;
use crate::reader::Reader;
use crate::scenario::{Class, EPOCH_MS, PATH_TIMEOUT_MS, Scenario};
use crate::stage::Stage;
use crate::verdict;

/// How often the world is looked at once the faults are over.
const WATCH_MS: i64 = 100;
/// In this time everything must have drained.
const DRAIN_MS: i64 = 120_000;
/// What a path has after its timeout to get going.
const RECOVERY_MS: i64 = 3_000;

/// How far the end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The plot.
    Faults,
    /// Everything that is spooled must drain, copy by copy; the steady devices go on.
    Draining { since_ms: i64 },
    /// All is drained; the limits may end what waits.
    Quiet { since_ms: i64 },
    /// The steady devices are quiet too.
    Last { since_ms: i64 },
    /// It is over.
    Over,
}

/// A command that was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Its offset in the control topic, once it arrived.
    pub offset: Option<i64>,
    /// On which plan it depends.
    pub if_epoch: Option<Epoch>,
    /// What it says.
    pub command: Command,
}

/// All actors.
pub struct World {
    /// What they share.
    pub context: Context,
    /// The machines.
    pub copies: Vec<Copy>,
    /// The groups, stage 1 first.
    pub stages: Vec<Stage>,
    /// The readers, by partition.
    pub readers: Vec<Reader>,
    /// Commands so far.
    pub commands: Vec<Sent>,
    /// Devices that exist no more.
    pub destroyed: Vec<bool>,
    /// Devices that left and joined again.
    pub rejoined: Vec<bool>,
    program: Program,
    phase: Phase,
    retired: bool,
}

impl World {
    /// The world of a scenario before anything happens.
    #[must_use]
    pub fn new(scenario: &Scenario, mutation: Option<Mutation>, tell: bool, record: bool) -> Self {
        let scenario = Rc::new(scenario.clone());
        let mut context = Context::new(&scenario, mutation, tell);
        let program = Program::new(scenario.operators, scenario.assigner_after, scenario.bound_ms);
        for topic in [Topic::Status, Topic::Control] {
            context.broker.append(topic, Value::Generation(1), EPOCH_MS);
        }
        let count = scenario.devices.len();
        let disk = |device: usize| Disk::new(scenario.devices[device].spill);
        let copies =
            (0..count).map(|device| Copy::new(device, device, disk(device), scenario.seed));
        let copies: Vec<Copy> = copies.collect();
        let stages =
            (1..=scenario.operators).map(|stage| Stage::new(&mut context, &program, stage));
        let stages = stages.collect();
        let partitions = usize::try_from(scenario.partitions).unwrap_or(1);
        let readers = (0..partitions).map(|partition| Reader::new(&mut context, partition, record));
        let readers = readers.collect();
        for copy in 0..count {
            context.schedule(EPOCH_MS, Happening::Start(copy));
            context.schedule(EPOCH_MS, Happening::Source(copy));
        }
        for (number, step) in scenario.plot.iter().enumerate() {
            context.schedule(EPOCH_MS + step.at_ms, Happening::Plot(number));
        }
        let last = scenario.plot.iter().filter(|step| step.at_ms >= scenario.faults_until_ms);
        let heal_ms =
            last.map(|step| step.at_ms + 15_500).max().unwrap_or(scenario.faults_until_ms);
        context.schedule(EPOCH_MS + heal_ms, Happening::Heal);
        Self {
            context,
            copies,
            stages,
            readers,
            commands: Vec::new(),
            destroyed: vec![false; count],
            rejoined: vec![false; count],
            program,
            phase: Phase::Faults,
            retired: false,
        }
    }

    /// Lets everything happen, and judges. Returns the first broken promise.
    pub fn run(&mut self) -> Option<Failure> {
        while self.phase != Phase::Over && self.context.failure.is_none() {
            let Some(happening) = self.context.advance() else { break };
            self.happen(happening);
        }
        if self.context.failure.is_none() {
            verdict::judge(self);
        }
        self.context.failure.clone()
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Arrive(topic, value, sender, place) => {
                self.arrive(topic, value, sender, place);
            }
            Happening::Acknowledge(sender) => self.acknowledge(sender),
            Happening::AgentTurn(copy) => self.step(copy, Copy::turn),
            Happening::Synced(copy) => self.step(copy, Copy::synced),
            Happening::Source(copy) => self.source(copy),
            Happening::Start(copy) => self.copies[copy].start(&mut self.context, &self.program),
            Happening::ReplicaTurn(stage, member) => {
                self.stages[at(stage)].turn(&mut self.context, member);
            }
            Happening::ReplicaBack(stage, member) if !self.retired => {
                self.stages[at(stage)].revive(member);
            }
            Happening::Revoke(stage, member, partition) => {
                self.stages[at(stage)].revoke(member, partition);
            }
            Happening::ReaderTurn(partition) => self.readers[partition].turn(&mut self.context),
            Happening::Plot(number) => {
                let step = self.context.scenario.clone().plot[number].clone();
                self.context.tell(|| format!("------ {:?}", step.action));
                self.perform(&step.action);
            }
            Happening::JudgePath(topic) => self.judge_path(topic),
            Happening::Join(device) => self.join(device),
            Happening::Heal => self.heal(),
            Happening::Watch => self.watch(),
            Happening::ReplicaBack(..) => {}
        }
    }

    /// Lets an agent do something that it may die of.
    fn step(&mut self, copy: usize, act: impl Fn(&mut Copy, &mut Context) -> Result<(), Crashed>) {
        let machine = &mut self.copies[copy];
        let down_ms = machine.armed.map_or(100, |(_, down_ms)| down_ms);
        if act(machine, &mut self.context).is_err() {
            machine.crash(&mut self.context);
            let back_ms = self.context.now_ms + down_ms;
            self.context.schedule(back_ms, Happening::Start(copy));
        }
        let machine = &self.copies[copy];
        if machine.left {
            let (device, partition) = (machine.device, self.partition_of(machine.device));
            self.readers[partition].unlist(device);
        }
    }

    fn partition_of(&self, device: usize) -> usize {
        usize::try_from(self.context.scenario.devices[device].partition).unwrap_or(0)
    }

    fn source(&mut self, copy: usize) {
        self.step(copy, Copy::accept);
        let interval_ms = self.context.scenario.devices[self.copies[copy].device].interval_ms;
        let wait_ms = self.copies[copy].dice.within(1, interval_ms * 2);
        let next_ms = self.context.now_ms + wait_ms;
        self.context.schedule(next_ms, Happening::Source(copy));
    }

    /// The producer of a client that lives.
    fn producer(&self, client: Client) -> Option<u64> {
        match client {
            Client::Agent(copy) => self.copies[copy].agent.as_ref().map(|agent| agent.producer),
            Client::Replica(stage, member) => self.stages[at(stage)].producer(member),
            Client::Issuer => Some(0),
        }
    }

    fn arrive(&mut self, topic: Topic, value: Value, sender: Sender, place: u64) {
        let context = &mut self.context;
        let now = context.now_ms;
        let alive = match sender.client {
            Client::Agent(copy) => self.copies[copy].agent.as_ref().map(|agent| agent.producer),
            Client::Replica(stage, member) => self.stages[at(stage)].producer(member),
            Client::Issuer => Some(0),
        } == Some(sender.producer);
        let cut_ms = match sender.client {
            Client::Agent(copy) if alive => self.copies[copy].cut_until_ms,
            _ => 0,
        };
        let later_ms = context.broker.up_at_ms(topic).max(cut_ms);
        if later_ms > now {
            return context.schedule(later_ms, Happening::Arrive(topic, value, sender, place));
        }
        // What a dead producer sent arrives in any order, or not at all.
        if alive && !context.broker.take_turn(sender.producer, topic, place) {
            return context.schedule(now + 1, Happening::Arrive(topic, value, sender, place));
        }
        context.arrived(topic, sender);
        if !alive && context.broker.loses() {
            return;
        }
        if let Value::Dead(id) = value {
            context.truth.dead_copies.insert(id);
        } else {
            let offset = context.broker.append(topic, value, now);
            // Commands arrive in the order in which they were sent.
            if sender.client == Client::Issuer
                && let Some(sent) = self.commands.iter_mut().find(|sent| sent.offset.is_none())
            {
                sent.offset = Some(offset);
            }
        }
        if alive && sender.client != Client::Issuer {
            let at_ms = now + context.broker.delay_ms();
            context.schedule(at_ms, Happening::Acknowledge(sender));
        }
    }

    fn acknowledge(&mut self, sender: Sender) {
        if self.producer(sender.client) != Some(sender.producer) {
            return;
        }
        match sender.client {
            Client::Agent(copy) => {
                let cut_ms = self.copies[copy].cut_until_ms;
                if cut_ms > self.context.now_ms {
                    self.context.schedule(cut_ms, Happening::Acknowledge(sender));
                } else if let Some(agent) = self.copies[copy].agent.as_mut() {
                    agent.inbox.push(sender.token);
                }
            }
            Client::Replica(stage, member) => self.stages[at(stage)].acknowledge(member, sender),
            Client::Issuer => {}
        }
    }

    /// A path hangs for long: devices that left it must have gone on (rule 11).
    fn judge_path(&mut self, topic: Topic) {
        let Topic::Stage { stage, partition } = topic else { return };
        let now = self.context.now_ms;
        let since_ms = now - PATH_TIMEOUT_MS - RECOVERY_MS;
        let last = self.context.scenario.operators;
        for copy in &self.copies {
            let spec = &self.context.scenario.devices[copy.device];
            let Some(agent) = copy.agent.as_ref().filter(|agent| !agent.superseded) else {
                continue;
            };
            let shares = &agent.machine.plan().shares;
            let elsewhere = shares.as_slice().iter().all(|share| share.cut.0 == last);
            let calm = copy.disturbed_ms.max(copy.routed_ms) < since_ms;
            if spec.partition != partition || !elsewhere || stage > last || !calm {
                continue;
            }
            let due = copy.taken_ms.iter().rev().find(|(taken_ms, _)| *taken_ms < since_ms);
            // What a crash has lost is not due any more.
            let kept = copy.disk.as_ref().map_or(Index(0), Disk::durable);
            let due = due.map_or(Index(0), |(_, next)| *next).min(kept);
            if agent.machine.cursor() < due && copy.moved_ms < now - RECOVERY_MS {
                let text = format!(
                    "copy {} left stage {stage}, which hangs, but is stuck at {} before {due}",
                    copy.number,
                    agent.machine.cursor()
                );
                return self.context.fail("stall of a path", text);
            }
        }
    }

    fn watch(&mut self) {
        let now = self.context.now_ms;
        let quiet_ms = self.context.scenario.quiet_ms();
        let drained = self.is_drained();
        match self.phase {
            Phase::Draining { since_ms } => {
                if self.next_copy() && drained {
                    self.retire();
                    self.phase = Phase::Quiet { since_ms: now };
                } else if now - since_ms > DRAIN_MS {
                    let text = self.what_is_left();
                    self.context.fail("stall", text);
                }
            }
            Phase::Quiet { since_ms } if now - since_ms > quiet_ms => {
                verdict::judge_time(self);
                self.copies.iter_mut().for_each(|copy| copy.source_on = false);
                self.phase = Phase::Last { since_ms: now };
            }
            Phase::Last { since_ms } if now - since_ms > 2_000 && drained => {
                self.phase = Phase::Over;
            }
            Phase::Last { since_ms } if now - since_ms > DRAIN_MS => {
                let text = self.what_is_left();
                self.context.fail("stall", text);
            }
            _ => {}
        }
        self.context.schedule(now + WATCH_MS, Happening::Watch);
    }

    /// Whether every event is on its way or through: agents, stages and readers have nothing left.
    fn is_drained(&self) -> bool {
        let copies = self.copies.iter().filter(|copy| copy.enabled);
        let retiring = self.context.scenario.class == Class::Retiring;
        let steady =
            |copy: &&Copy| !self.context.scenario.devices[copy.device].steady || !copy.source_on;
        let busy = !retiring && self.copies.iter().any(|copy| copy.source_on && copy.enabled);
        copies.filter(steady).all(Copy::is_drained)
            && (busy || self.context.flying_frames == 0)
            && (busy || self.stages.iter().all(|stage| stage.is_drained(&self.context)))
            && (busy || self.readers.iter().all(|reader| reader.is_at_end(&self.context)))
    }

    fn what_is_left(&self) -> String {
        let copies = self.copies.iter().filter(|copy| copy.enabled && !copy.is_drained());
        let copies: Vec<_> = copies.map(|copy| copy.number).collect();
        let stages = self.stages.iter().filter(|stage| !stage.is_drained(&self.context));
        let stages: Vec<_> = stages.map(|stage| stage.stage).collect();
        format!(
            "not drained: copies {copies:?}, stages {stages:?}, {} frames fly",
            self.context.flying_frames
        )
    }

    /// The rule of retirement (12): no unacknowledged frame, no lag.
    fn retire(&mut self) {
        if self.context.scenario.class == Class::Retiring {
            self.retired = true;
            self.stages.iter_mut().for_each(Stage::retire);
        }
    }
}

fn at(stage: i32) -> usize {
    usize::try_from(stage - 1).unwrap_or(0)
}
