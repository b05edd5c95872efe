//! The broker: partitions as logs with append times, and messages on their way to them.

use std::collections::BTreeMap;
use std::rc::Rc;

use sluice_model::{CommandKey, DeviceStatus, RoutingCommand};

use crate::dice::Dice;
use crate::events::EventId;

/// A partition of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// `sluice.status`.
    Status,
    /// `sluice.control`.
    Control,
    /// Stage `stage`; `out` is stage N + 1.
    Stage {
        /// 1..=N + 1.
        stage: i32,
        /// The partition.
        partition: i32,
    },
    /// `dead`.
    Dead,
}

/// What a record says.
#[derive(Debug, Clone)]
pub enum Value {
    /// An encoded frame.
    Frame(Rc<[u8]>),
    /// A frame of which only the headers can be read: here its bytes still stand for them.
    Torn(Rc<[u8]>),
    /// A copy of a dead event.
    Dead(EventId),
    /// The generation of the topic.
    Generation(i64),
    /// The hello of a start of a device.
    Hello(usize, String),
    /// The status of a device.
    Status(usize, Rc<DeviceStatus>),
    /// A command.
    Command(CommandKey, Rc<RoutingCommand>),
}

impl Value {
    /// What compaction keeps the newest of.
    fn key(&self) -> String {
        match self {
            Self::Frame(_) | Self::Torn(_) | Self::Dead(_) => String::new(),
            Self::Generation(_) => "generation".into(),
            Self::Hello(device, _) => format!("{device}/hello"),
            Self::Status(device, _) => device.to_string(),
            Self::Command(key, _) => key.to_string(),
        }
    }
}

/// A record in its partition.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its offset: growing, with gaps.
    pub offset: i64,
    /// When the broker appended it.
    pub append_ms: i64,
    /// What it says.
    pub value: Value,
}

/// A partition.
#[derive(Debug, Default)]
pub struct Log {
    records: Vec<Record>,
    next_offset: i64,
    down_until_ms: i64,
}

impl Log {
    /// The first record at or behind an offset.
    #[must_use]
    pub fn at(&self, offset: i64) -> Option<&Record> {
        self.records.get(self.records.partition_point(|record| record.offset < offset))
    }

    /// The offset that the next record gets at least.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.next_offset
    }

    /// All records that are there.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.iter()
    }
}

/// The messages of a producer to a partition.
#[derive(Debug, Default)]
struct Lane {
    arrives_ms: i64,
    sent: u64,
    arrived: u64,
}

/// Who sent a message, and what its acknowledgement is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender {
    /// Whose.
    pub client: Client,
    /// The producer: a discarded one hears nothing any more.
    pub producer: u64,
    /// The message.
    pub token: u64,
}

/// A process that produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// The agent of a copy of a device.
    Agent(usize),
    /// A replica: its stage, and which of them.
    Replica(i32, usize),
    /// Nobody waits for it.
    Issuer,
}

/// All partitions.
#[derive(Debug)]
pub struct Broker {
    logs: BTreeMap<Topic, Log>,
    dice: Dice,
    down_until_ms: i64,
    /// What a producer has under way to a partition: it stays in order.
    lanes: BTreeMap<(u64, Topic), Lane>,
    next_producer: u64,
    nothing: Log,
}

impl Broker {
    /// A broker without records.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            logs: BTreeMap::new(),
            dice: Dice::new(seed, 2),
            down_until_ms: 0,
            lanes: BTreeMap::new(),
            next_producer: 1,
            nothing: Log::default(),
        }
    }

    /// A partition.
    #[must_use]
    pub fn log(&self, topic: Topic) -> &Log {
        self.logs.get(&topic).unwrap_or(&self.nothing)
    }

    /// A new producer.
    pub fn producer(&mut self) -> u64 {
        self.next_producer += 1;
        self.next_producer
    }

    /// When a message that is sent now arrives, and its place among those that the producer sent there.
    pub fn dispatch(&mut self, producer: u64, topic: Topic, at_ms: i64) -> (i64, u64) {
        let lane = self.lanes.entry((producer, topic)).or_default();
        lane.arrives_ms = at_ms.max(lane.arrives_ms);
        lane.sent += 1;
        (lane.arrives_ms, lane.sent)
    }

    /// Whether it is a message's turn: those before it have arrived.
    pub fn take_turn(&mut self, producer: u64, topic: Topic, place: u64) -> bool {
        let lane = self.lanes.entry((producer, topic)).or_default();
        let turn = place == lane.arrived + 1;
        lane.arrived += u64::from(turn);
        turn
    }

    /// From when on a partition takes messages.
    #[must_use]
    pub fn up_at_ms(&self, topic: Topic) -> i64 {
        self.down_until_ms.max(self.log(topic).down_until_ms)
    }

    /// Appends a record; returns its offset.
    pub fn append(&mut self, topic: Topic, value: Value, now_ms: i64) -> i64 {
        // The marks of transactions and compaction leave gaps.
        let gap = if self.dice.chance(2) { self.dice.within(1, 3) } else { 0 };
        let log = self.logs.entry(topic).or_default();
        let offset = log.next_offset + gap;
        log.next_offset = offset + 1;
        log.records.push(Record { offset, append_ms: now_ms, value });
        offset
    }

    /// The leader of a partition is away.
    pub fn hang(&mut self, topic: Topic, until_ms: i64) {
        let log = self.logs.entry(topic).or_default();
        log.down_until_ms = log.down_until_ms.max(until_ms);
    }

    /// No partition answers.
    pub fn pause(&mut self, until_ms: i64) {
        self.down_until_ms = self.down_until_ms.max(until_ms);
    }

    /// Every partition answers again.
    pub fn heal(&mut self) {
        self.down_until_ms = 0;
        self.logs.values_mut().for_each(|log| log.down_until_ms = 0);
    }

    /// Whether a message of a dead producer is lost on its way.
    pub fn loses(&mut self) -> bool {
        self.dice.chance(50)
    }

    /// A random delay.
    pub fn delay_ms(&mut self) -> i64 {
        if self.dice.chance(3) { self.dice.within(50, 900) } else { self.dice.within(1, 25) }
    }

    /// Loses the newest records of a partition from `behind` on, or what is in them, for ever; returns them.
    pub fn lose(&mut self, topic: Topic, behind: i64, only_tears: bool) -> Vec<Record> {
        let count = self.dice.index(4) + 1;
        let Some(log) = self.logs.get_mut(&topic) else { return Vec::new() };
        let from = log.records.partition_point(|record| record.offset < behind);
        let from = from.max(log.records.len().saturating_sub(count));
        let lost = log.records.split_off(from);
        if only_tears {
            log.records.extend(lost.iter().map(|record| match &record.value {
                Value::Frame(bytes) => {
                    Record { value: Value::Torn(bytes.clone()), ..record.clone() }
                }
                _ => record.clone(),
            }));
        }
        lost
    }

    /// Deletes the records of a partition that were appended before `before_ms`.
    pub fn trim(&mut self, topic: Topic, before_ms: i64) {
        if let Some(log) = self.logs.get_mut(&topic) {
            let kept = log.records.partition_point(|record| record.append_ms < before_ms);
            log.records.drain(..kept);
        }
    }

    /// Keeps the newest record of each key, but for the very last records.
    pub fn compact(&mut self, topic: Topic) {
        let spared = self.dice.index(3);
        let Some(log) = self.logs.get_mut(&topic) else { return };
        let head = log.records.len().saturating_sub(spared);
        let mut newest = BTreeMap::new();
        for (place, record) in log.records.iter().enumerate() {
            newest.insert(record.value.key(), place);
        }
        let mut place = 0;
        log.records.retain(|record| {
            place += 1;
            place > head || newest[&record.value.key()] == place - 1
        });
    }
}
