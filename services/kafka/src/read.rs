//! Reads a topic once, for tools: to its present end, or on and on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError as Rd;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{self, ASK_TIMEOUT, Bounds, Context};
use crate::error::{is_connection, is_settling};
use crate::{KafkaError, Message, Properties};

/// The offset of the next message to read, by partition.
pub type Offsets = BTreeMap<i32, i64>;

/// Where to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At the first message that is kept.
    Beginning,
    /// Behind the last message.
    End,
    /// At these offsets; partitions that are not named, at their beginning.
    At(Offsets),
}

const DEFAULTS: [(&str, &str); 3] = [
    ("queued.max.messages.kbytes", "65536"),
    ("fetch.queue.backoff.ms", "10"),
    ("group.id", "sluice-read"),
];

const FIXED: [(&str, &str); 4] = [
    ("enable.auto.commit", "false"),
    ("enable.partition.eof", "true"),
    // What retention took is no error for a tool.
    ("auto.offset.reset", "earliest"),
    ("isolation.level", "read_committed"),
];

const LOOK: Duration = Duration::from_millis(100);

/// Silence of the broker after which a read to the end gives up.
const SILENCE: Duration = Duration::from_secs(30);

/// Gives the committed messages from `start` to the end that the topic has now. Returns where to go on.
///
/// # Errors
/// A missing topic, or brokers that do not answer.
pub fn read_to_end(
    properties: &Properties,
    topic: &str,
    start: &Start,
    mut on_message: impl FnMut(Message),
) -> Result<Offsets, KafkaError> {
    let each = |message| {
        on_message(message);
        ControlFlow::Continue(())
    };
    read(properties, topic, start, None, each)
}

/// Gives the committed messages from `start` on until the callback breaks or `stop` is set. Returns where to go on.
///
/// # Errors
/// A missing topic, or brokers that do not answer at the start.
pub fn tail(
    properties: &Properties,
    topic: &str,
    start: &Start,
    stop: &AtomicBool,
    on_message: impl FnMut(Message) -> ControlFlow<()>,
) -> Result<Offsets, KafkaError> {
    read(properties, topic, start, Some(stop), on_message)
}

/// [`read_to_end`] without `until_stopped`, else [`tail`]; a callback that breaks ends either.
///
/// # Errors
/// A missing topic, or brokers that do not answer.
pub fn read(
    properties: &Properties,
    topic: &str,
    start: &Start,
    until_stopped: Option<&AtomicBool>,
    mut on_message: impl FnMut(Message) -> ControlFlow<()>,
) -> Result<Offsets, KafkaError> {
    let consumer = client::consumer(properties, "sluice-read", &DEFAULTS, &FIXED)?;
    let place = client::place(properties);
    let mut reading = Reading::begin(&consumer, place, topic, start)?;
    let mut heard = Instant::now();
    loop {
        match until_stopped {
            Some(stop) if stop.load(Ordering::Relaxed) => return Ok(reading.next),
            None if reading.ends.is_empty() => return Ok(reading.next),
            None if heard.elapsed() > SILENCE => {
                let trouble = consumer.context().trouble.last();
                let what = trouble.unwrap_or_else(|| format!("topic `{topic}`: no answer in time"));
                return Err(KafkaError::unreachable(place, what));
            }
            _ => {}
        }
        let Some(polled) = consumer.poll(LOOK) else { continue };
        match polled {
            Ok(message) => {
                heard = Instant::now();
                let message = Message::take(&message);
                let (partition, next) = (message.partition, message.offset + 1);
                reading.next.insert(partition, next);
                reading.ends.retain(|other, end| *other != partition || next < *end);
                if on_message(message).is_break() {
                    return Ok(reading.next);
                }
            }
            // A marker of a transaction, or a compacted row, may be the last of a partition.
            Err(Rd::PartitionEOF(partition)) => {
                heard = Instant::now();
                reading.ends.remove(&partition);
            }
            Err(error) => match error.rdkafka_error_code() {
                Some(code) if is_connection(code) || is_settling(code) => {}
                _ => return Err(KafkaError::of(place, &format!("topic `{topic}`"), &error, None)),
            },
        }
    }
}

struct Reading {
    next: Offsets,
    /// The ends that are not reached yet.
    ends: Offsets,
}

impl Reading {
    fn begin(
        consumer: &BaseConsumer<Context>,
        place: &str,
        topic: &str,
        start: &Start,
    ) -> Result<Self, KafkaError> {
        let (mut next, mut ends) = (Offsets::new(), Offsets::new());
        let mut assignment = TopicPartitionList::new();
        for Bounds { partition, low, high } in client::bounds(consumer, place, topic, ASK_TIMEOUT)?
        {
            let from = match start {
                Start::Beginning => low,
                Start::End => high,
                Start::At(offsets) => offsets.get(&partition).copied().unwrap_or(low).max(low),
            };
            next.insert(partition, from);
            if from < high {
                ends.insert(partition, high);
            }
            assignment
                .add_partition_offset(topic, partition, Offset::Offset(from))
                .map_err(|error| KafkaError::Other(error.to_string()))?;
        }
        consumer.assign(&assignment).map_err(|error| KafkaError::Other(error.to_string()))?;
        Ok(Self { next, ends })
    }
}
