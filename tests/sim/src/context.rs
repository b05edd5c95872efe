//! What every actor has: the time, the broker, the truth, and the list of what will happen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::broker::{Broker, Client, Sender, Topic, Value};
use crate::mutation::Mutation;
use crate::scenario::{EPOCH_MS, Scenario};
use crate::tally::Tally;
use crate::truth::Truth;

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which: a short name, the same for failures of one kind.
    pub invariant: &'static str,
    /// What was seen.
    pub text: String,
    /// When, milliseconds after the epoch.
    pub at_ms: i64,
}

/// What will happen.
#[derive(Debug)]
pub enum Happening {
    /// A message reaches its partition: the so-many-th of its producer there.
    Arrive(Topic, Value, Sender, u64),
    /// An acknowledgement reaches a client.
    Acknowledge(Sender),
    /// The agent of a copy looks around.
    AgentTurn(usize),
    /// The source of a copy has an event.
    Source(usize),
    /// The group commit of a spool ends.
    Synced(usize),
    /// The agent of a copy starts again.
    Start(usize),
    /// A replica looks around.
    ReplicaTurn(i32, usize),
    /// A dead replica is back.
    ReplicaBack(i32, usize),
    /// A former owner learns that a partition went.
    Revoke(i32, usize, i32),
    /// The reader of a partition looks around.
    ReaderTurn(usize),
    /// The next step of the plot.
    Plot(usize),
    /// The hanging path is looked at, just before it is back.
    JudgePath(Topic),
    /// A device joins again.
    Join(usize),
    /// The end of the faults.
    Heal,
    /// The world is looked at.
    Watch,
}

struct Scheduled(i64, u64, Happening);

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Scheduled {}
impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

/// What every actor has.
pub struct Context {
    /// The time, epoch milliseconds.
    pub now_ms: i64,
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The rule that is taken away.
    pub mutation: Option<Mutation>,
    /// The broker.
    pub broker: Broker,
    /// The truth.
    pub truth: Truth,
    /// Devices whose identity was meddled with.
    pub meddled: Vec<bool>,
    /// What happened so far.
    pub tally: Tally,
    /// Data frames on their way to a partition.
    pub flying_frames: usize,
    /// The first broken promise.
    pub failure: Option<Failure>,
    /// What is told while it happens.
    pub told: Option<Vec<String>>,
    queue: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
}

impl Context {
    /// The beginning.
    #[must_use]
    pub fn new(scenario: &Rc<Scenario>, mutation: Option<Mutation>, tell: bool) -> Self {
        Self {
            now_ms: EPOCH_MS,
            scenario: scenario.clone(),
            mutation,
            broker: Broker::new(scenario.seed),
            truth: Truth::new(scenario.assigner_after),
            meddled: vec![false; scenario.devices.len()],
            tally: Tally::default(),
            flying_frames: 0,
            failure: None,
            told: tell.then(Vec::new),
            queue: BinaryHeap::new(),
            scheduled: 0,
        }
    }

    /// Whether a rule is taken away.
    #[must_use]
    pub fn breaks(&self, rule: Mutation) -> bool {
        self.mutation == Some(rule)
    }

    /// The time since the epoch.
    #[must_use]
    pub fn since_ms(&self) -> i64 {
        self.now_ms - EPOCH_MS
    }

    /// Lets something happen.
    pub fn schedule(&mut self, at_ms: i64, happening: Happening) {
        self.scheduled += 1;
        let at_ms = at_ms.max(self.now_ms);
        self.queue.push(Reverse(Scheduled(at_ms, self.scheduled, happening)));
    }

    /// The next thing that happens; the time goes on to it.
    pub fn advance(&mut self) -> Option<Happening> {
        let Reverse(Scheduled(at_ms, _, happening)) = self.queue.pop()?;
        self.now_ms = at_ms;
        Some(happening)
    }

    /// Tells what happens, if anyone listens.
    pub fn tell(&mut self, what: impl FnOnce() -> String) {
        let since_ms = self.since_ms();
        if let Some(told) = &mut self.told {
            told.push(format!("{since_ms:>6} {}", what()));
        }
    }

    /// A promise is broken.
    pub fn fail(&mut self, invariant: &'static str, text: String) {
        let at_ms = self.since_ms();
        self.failure.get_or_insert(Failure { invariant, text, at_ms });
    }

    /// Sends a message that leaves at `leaves_ms` at the earliest.
    pub fn send(&mut self, topic: Topic, value: Value, sender: Sender, leaves_ms: i64) {
        let delay_ms = self.broker.delay_ms();
        let at_ms = leaves_ms.max(self.now_ms) + delay_ms;
        let (at_ms, place) = self.broker.dispatch(sender.producer, topic, at_ms);
        self.flying_frames += usize::from(is_data(topic, sender));
        self.schedule(at_ms, Happening::Arrive(topic, value, sender, place));
    }

    /// A message has reached its partition, or is lost.
    pub fn arrived(&mut self, topic: Topic, sender: Sender) {
        self.flying_frames -= usize::from(is_data(topic, sender));
    }
}

/// Heartbeats are sent for ever; they go to `out` with this token.
pub const SIGN_OF_LIFE: u64 = u64::MAX;

fn is_data(topic: Topic, sender: Sender) -> bool {
    matches!(topic, Topic::Stage { .. })
        && sender.token != SIGN_OF_LIFE
        && sender.client != Client::Issuer
}
