//! The state machine of a worker: messages and acknowledgements in, messages and offsets to commit out.
//!
//! Pure: no clock, no broker. The worker moves what comes out, and calls back with what became of it.

mod frames;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sluice_engine::Engine;
use sluice_kafka::Message;
use sluice_wire::{range_headers, record};

pub use frames::{Output, Runner, Stop};

use crate::commit::{Place, Prefix};
use crate::plan::StagePlan;

/// Bounds of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// No message is taken while this much is sent and not acknowledged, bytes.
    pub in_flight_bytes: usize,
    /// Frames that grew above this are split, bytes before compression.
    pub message_bytes: usize,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// Comes back with the acknowledgement.
    pub token: u64,
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The key: the device.
    pub key: String,
    /// Headers; none for dead events.
    pub headers: Vec<(&'static str, String)>,
    /// The value.
    pub payload: Vec<u8>,
}

/// What became of a message of the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// It was run; what came out is to be sent.
    Taken {
        /// Events that were run through the operators.
        events: u64,
        /// Events that died.
        dead: u64,
        /// Whether the message was no frame at all.
        garbage: bool,
    },
    /// It was there already, or belongs to a partition that went.
    Ignored,
    /// A message before it was left out by the reader: read again, from the committed offsets.
    LeftOut,
}

struct Outstanding {
    partition: i32,
    offset: i64,
    bytes: usize,
    is_frame: bool,
}

/// The state machine of a worker.
pub struct Core {
    runner: Runner,
    limits: Limits,
    /// By assigned partition; none until its first message.
    partitions: BTreeMap<i32, Option<Prefix>>,
    committed: BTreeMap<i32, i64>,
    outstanding: HashMap<u64, Outstanding>,
    in_flight_bytes: usize,
    next_token: u64,
}

impl Core {
    /// A worker of this plan, with the engine that executes its operators.
    #[must_use]
    pub fn new(
        plan: StagePlan,
        engine: Box<dyn Engine + std::marker::Send>,
        limits: Limits,
    ) -> Self {
        Self {
            runner: Runner::new(plan, engine, limits.message_bytes),
            limits,
            partitions: BTreeMap::new(),
            committed: BTreeMap::new(),
            outstanding: HashMap::new(),
            in_flight_bytes: 0,
            next_token: 0,
        }
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &StagePlan {
        self.runner.plan()
    }

    /// Partitions came.
    pub fn handle_assigned(&mut self, partitions: &[i32]) {
        for partition in partitions {
            self.partitions.entry(*partition).or_default();
        }
    }

    /// Partitions went: what is outstanding of them counts no more.
    pub fn handle_revoked(&mut self, partitions: &[i32]) {
        for partition in partitions {
            self.partitions.remove(partition);
            self.committed.remove(partition);
        }
        self.forget(|outstanding| partitions.contains(&outstanding.partition));
    }

    /// Takes a message of the stage and appends what is to be sent.
    ///
    /// # Errors
    /// A [`Stop`]: the message stays where it is, and nothing behind it may be taken.
    pub fn handle_message(
        &mut self,
        message: &Message,
        sends: &mut Vec<Send>,
    ) -> Result<Handled, Stop> {
        let Some(prefix) = self.partitions.get_mut(&message.partition) else {
            return Ok(Handled::Ignored);
        };
        let prefix = prefix.get_or_insert_with(|| Prefix::starting_at(message.offset));
        match prefix.place(message.offset) {
            Place::Next => {}
            Place::Known => return Ok(Handled::Ignored),
            Place::LeftOut => return Ok(Handled::LeftOut),
        }
        let output = self.runner.run(message)?;
        let plan = self.runner.plan();
        let (next_topic, dead_topic) = (Arc::clone(&plan.next_topic), Arc::clone(&plan.dead_topic));
        let copies = output.dead.iter().map(|dead| record::encode(plan.dead_schema_id, dead));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let handled = Handled::Taken {
            events: output.events,
            dead: if output.garbage { 0 } else { copies.len() as u64 },
            garbage: output.garbage,
        };
        prefix.take(message.offset, output.frames.len() + copies.len());
        for (dead, payload) in output.dead.into_iter().zip(copies) {
            let topic = Arc::clone(&dead_topic);
            sends.push(self.send(message, topic, dead.device, Vec::new(), payload, false));
        }
        for (header, payload) in output.frames {
            let headers = range_headers(&header).into();
            let (topic, key) = (Arc::clone(&next_topic), header.device.to_string());
            sends.push(self.send(message, topic, key, headers, payload, true));
        }
        Ok(handled)
    }

    fn send(
        &mut self,
        message: &Message,
        topic: Arc<str>,
        key: String,
        headers: Vec<(&'static str, String)>,
        payload: Vec<u8>,
        is_frame: bool,
    ) -> Send {
        let token = self.next_token;
        self.next_token += 1;
        let (partition, offset, bytes) = (message.partition, message.offset, payload.len());
        self.outstanding.insert(token, Outstanding { partition, offset, bytes, is_frame });
        self.in_flight_bytes += bytes;
        Send { token, topic, partition, key, headers, payload }
    }

    /// A message was acknowledged.
    pub fn handle_acknowledged(&mut self, token: u64) {
        // Unknown: of a partition that went, or from before a rewind.
        if let Some(outstanding) = self.outstanding.remove(&token) {
            self.in_flight_bytes -= outstanding.bytes;
            if let Some(Some(prefix)) = self.partitions.get_mut(&outstanding.partition) {
                prefix.acknowledge(outstanding.offset);
            }
        }
    }

    /// The broker takes no message of this size: from now on frames are split below it. To be followed by a rewind.
    pub fn handle_too_large(&mut self, token: u64) {
        if let Some(frame) = self.outstanding.get(&token).filter(|sent| sent.is_frame) {
            self.runner.message_bytes = self.runner.message_bytes.min(frame.bytes / 2);
        }
    }

    /// Gives up all that is outstanding. Returns where to read again, by partition.
    pub fn rewind(&mut self) -> Vec<(i32, i64)> {
        self.forget(|_| true);
        let prefixes = self.partitions.iter_mut();
        let rewound = prefixes.filter_map(|(partition, prefix)| {
            let prefix = prefix.as_mut()?;
            prefix.rewind();
            Some((*partition, prefix.next()))
        });
        rewound.collect()
    }

    /// Forgets every partition: the reader begins anew.
    pub fn reset(&mut self) {
        let partitions: Vec<i32> = self.partitions.keys().copied().collect();
        self.handle_revoked(&partitions);
    }

    fn forget(&mut self, which: impl Fn(&Outstanding) -> bool) {
        self.outstanding.retain(|_, outstanding| !which(outstanding));
        self.in_flight_bytes = self.outstanding.values().map(|sent| sent.bytes).sum();
    }

    /// The offsets to commit that grew since the last call, by partition.
    pub fn take_commits(&mut self) -> Vec<(i32, i64)> {
        let mut commits = Vec::new();
        for (partition, prefix) in &self.partitions {
            let Some(next) = prefix.as_ref().map(Prefix::next) else { continue };
            if self.committed.insert(*partition, next) != Some(next) {
                commits.push((*partition, next));
            }
        }
        commits
    }

    /// Whether another message may be taken.
    #[must_use]
    pub fn may_take(&self) -> bool {
        self.in_flight_bytes < self.limits.in_flight_bytes
    }

    /// Sent and not acknowledged, bytes.
    #[must_use]
    pub fn in_flight_bytes(&self) -> usize {
        self.in_flight_bytes
    }

    /// The assigned partitions.
    #[must_use]
    pub fn partitions(&self) -> Vec<i32> {
        self.partitions.keys().copied().collect()
    }
}
