//! The edge agent of one copy of a device: the real state machine, and around it what its shell does.

mod frames;
mod mail;
mod turn;

use std::collections::BTreeMap;

use sluice_edge::machine::{Identity, Machine, Token};
use sluice_engine::Chain;
use sluice_model::{CommandKey, Control, DeviceKey, Epoch, RoutingCommand};
use sluice_spool::Index;

use crate::broker::{Client, Sender, Topic, Value};
use crate::context::{Context, Happening};
use crate::dice::Dice;
use crate::disk::Disk;
use crate::events::Program;
use crate::mutation::Mutation;
use crate::plot::CrashPoint;

/// A status at least this often.
const STATUS_MS: i64 = 2_000;

/// A machine with a disk that calls itself a device.
pub struct Copy {
    /// Its place among all copies.
    pub number: usize,
    /// The device.
    pub device: usize,
    /// Its disk; none when it was destroyed.
    pub disk: Option<Disk>,
    /// A copy of the disk that was put aside.
    pub backup: Option<Disk>,
    /// The running agent.
    pub agent: Option<Agent>,
    /// The point at which the agent dies, and for how long.
    pub armed: Option<(CrashPoint, i64)>,
    /// It may run.
    pub enabled: bool,
    /// Its source has events.
    pub source_on: bool,
    /// Until when the source is quiet.
    pub silent_until_ms: i64,
    /// Its clock is off by this.
    pub clock_shift_ms: i64,
    /// Until when its link is cut.
    pub cut_until_ms: i64,
    /// The device leaves.
    pub leaving: bool,
    /// Its leave was acknowledged.
    pub left: bool,
    /// Something last went wrong.
    pub disturbed_ms: i64,
    /// Since when the plan in force has not changed.
    pub routed_ms: i64,
    /// When the cursor last advanced.
    pub moved_ms: i64,
    /// Events that the agent took, with the time: for the judgement of a hanging path.
    pub taken_ms: Vec<(i64, Index)>,
    /// An event found no room: the oldest are to be dropped.
    pub(crate) wants_drop: bool,
    pub(crate) syncing: bool,
    pub(crate) dice: Dice,
    starts: u64,
}

/// A running agent.
pub struct Agent {
    /// The real state machine.
    pub machine: Machine,
    pub(crate) identity: Identity,
    pub(crate) producer: u64,
    outstanding: BTreeMap<u64, Sent>,
    next_token: u64,
    pub(crate) inbox: Vec<u64>,
    status_at: i64,
    control_at: i64,
    control_generation: Option<i64>,
    early: Vec<(CommandKey, Epoch, RoutingCommand, i64)>,
    broker_seen: Option<(i64, i64)>,
    pub(crate) superseded: bool,
    chains: Vec<Chain>,
    status_due_ms: i64,
    cursor_due_ms: i64,
    resume_ms: i64,
    failing: bool,
    started_ms: i64,
    /// The epoch that the last status of the device named when this start began.
    epoch_before: Epoch,
    /// The watermark of everything dispatched: only a mutation uses it.
    dispatched_watermark: Option<i64>,
}

/// What a message was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Frame(Token),
    /// A copy of a dead event that nobody waits for: only a mutation sends one.
    Copy,
    Hello,
    SignOfLife,
    Leave,
    Status,
}

/// The agent died.
pub struct Crashed;

impl Copy {
    /// A machine with this disk.
    #[must_use]
    pub fn new(number: usize, device: usize, disk: Disk, seed: u64) -> Self {
        Self {
            number,
            device,
            disk: Some(disk),
            backup: None,
            agent: None,
            armed: None,
            enabled: true,
            source_on: true,
            silent_until_ms: 0,
            clock_shift_ms: 0,
            cut_until_ms: 0,
            leaving: false,
            left: false,
            disturbed_ms: 0,
            routed_ms: 0,
            moved_ms: 0,
            taken_ms: Vec::new(),
            wants_drop: false,
            syncing: false,
            dice: Dice::new(seed, 100 + number as u64),
            starts: 0,
        }
    }

    /// The key of the device's input.
    #[must_use]
    pub fn key(context: &Context, device: usize) -> DeviceKey {
        let id = context.scenario.devices[device].id.clone();
        let name = "q".parse().expect("a name");
        DeviceKey { query: name, input: "in".parse().expect("a name"), device: id }
    }

    /// Starts the agent, as its shell does: lock, start mark, cached plan.
    pub fn start(&mut self, context: &mut Context, program: &Program) {
        let Some(disk) = self.disk.as_mut() else { return };
        if self.agent.is_some() || !self.enabled || self.left {
            return;
        }
        self.starts += 1;
        let scenario = context.scenario.clone();
        let nonce = format!("{}-{}", self.number, self.starts);
        let reused = context.breaks(Mutation::NumbersAgain).then(|| disk.newest_incarnation());
        let reused = reused.flatten();
        let (cursor, holes) = if reused.is_some() {
            (disk.cursor(), disk.holes())
        } else {
            disk.begin_start(&nonce, context.now_ms, !context.breaks(Mutation::NoStartMark))
        };
        let mut control = Control::new(scenario.operators);
        if let Some(plan) = disk.plan.clone() {
            control.resume(plan);
        }
        let limits = scenario.agent_limits(&mut self.dice);
        let mut machine = Machine::new(limits, control, cursor);
        machine.handle_holes(holes);
        if let Some(incarnation) = reused {
            machine.handle_numbered(disk.runs());
            context.tell(|| format!("copy {} goes on as {incarnation}", self.number));
        } else if context.breaks(Mutation::DispatchesBeforeHello) {
            let incarnation = disk.newest_incarnation().unwrap_or(1 << 40) + 1;
            machine.handle_numbered(disk.number_start(incarnation, true));
        }
        let epoch_before = last_epoch(context, self.device);
        let producer = context.broker.producer();
        let (number, device) = (self.number, self.device);
        context.tell(|| format!("copy {number} of d{device} starts as {nonce} at {cursor}"));
        context.tally.starts += 1;
        self.disturbed_ms = context.now_ms;
        self.agent = Some(Agent {
            machine,
            identity: Identity::new(nonce),
            producer,
            outstanding: BTreeMap::new(),
            next_token: 0,
            inbox: Vec::new(),
            status_at: 0,
            control_at: 0,
            control_generation: None,
            early: Vec::new(),
            broker_seen: None,
            superseded: false,
            chains: (0..=scenario.operators).map(|cut| program.chain(0, cut)).collect(),
            status_due_ms: 0,
            cursor_due_ms: context.now_ms + self.dice.within(200, 1_500),
            resume_ms: 0,
            failing: false,
            started_ms: context.now_ms,
            epoch_before,
            dispatched_watermark: None,
        });
        context.schedule(context.now_ms, Happening::AgentTurn(self.number));
    }

    /// The agent dies; what was not durable goes with it.
    pub fn crash(&mut self, context: &mut Context) {
        if self.agent.take().is_some() {
            context.tell(|| format!("copy {} of d{} dies", self.number, self.device));
        }
        self.armed = None;
        self.disturbed_ms = context.now_ms;
        self.syncing = false;
        self.wants_drop = false;
        if let Some(disk) = self.disk.as_mut() {
            let lost = disk.crash(&mut self.dice);
            // The stated loss of a spool that spills; what was sent of it may come late.
            context.meddled[self.device] |= !lost.is_empty();
            context.tally.spilled += lost.len() as u64;
            lost.iter().for_each(|id| context.truth.event_mut(*id).durable = false);
        }
    }

    /// Whether everything that the copy has is acknowledged.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        let Some(disk) = &self.disk else { return true };
        if self.left {
            return true;
        }
        self.agent.as_ref().is_some_and(|agent| {
            agent.machine.live().is_some()
                && disk.durable() == disk.next_index()
                && agent.machine.is_drained()
                && agent.machine.cursor() == disk.next_index()
        })
    }

    /// The agent comes to a point at which it may die.
    fn at(&mut self, point: CrashPoint) -> Result<(), Crashed> {
        match self.armed {
            Some((armed, _)) if armed == point => Err(Crashed),
            _ => Ok(()),
        }
    }

    fn sender(&mut self, sent: Sent) -> Option<Sender> {
        let agent = self.agent.as_mut()?;
        let token = agent.next_token;
        agent.next_token += 1;
        agent.outstanding.insert(token, sent);
        Some(Sender { client: Client::Agent(self.number), producer: agent.producer, token })
    }
}

/// The epoch that the last status of a device names.
fn last_epoch(context: &Context, device: usize) -> Epoch {
    let mut statuses = context.broker.log(Topic::Status).records().rev().filter_map(|record| {
        match &record.value {
            Value::Status(of, status) if *of == device => status.plan.as_ref(),
            _ => None,
        }
    });
    statuses.next().map_or(Epoch::LOWEST, |plan| plan.epoch)
}
