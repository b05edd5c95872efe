//! The producer of frames: idempotent, in order per partition, patient.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::Message as _;
use rdkafka::config::{FromClientConfigAndContext, RDKafkaLogLevel};
use rdkafka::error::{KafkaError as Rd, RDKafkaErrorCode as Code};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext, ThreadedProducer};
use rdkafka::statistics::Statistics;
use thiserror::Error;

use crate::trouble::Trouble;
use crate::{KafkaError, Properties, client};

/// A message to send.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// Its partition.
    pub partition: i32,
    /// Its key.
    pub key: &'a str,
    /// Its headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// Its value.
    pub payload: &'a [u8],
}

/// Where an acknowledged message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
}

/// Why a message was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SendError {
    /// The queue is at its bound; poll and try again.
    #[error("the producer's queue is full")]
    QueueFull,
    /// The producer can't go on; a new one must take its place.
    #[error("the producer failed for good: {0}")]
    Fatal(String),
    /// This message is above the producer's limit (`message.max.bytes`).
    #[error("{0}")]
    TooLarge(KafkaError),
    /// This message can't be sent: unknown partition, for one.
    #[error("{0}")]
    Refused(KafkaError),
}

/// Why a message was not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct DeliveryError {
    /// The broker, or the producer, refuses the message for its size.
    pub too_large: bool,
    /// The producer can't go on; a new one must take its place.
    pub fatal: bool,
    /// What happened, with the topic.
    pub kind: KafkaError,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The token it was sent with.
    pub token: u64,
    /// Its place, or why it has none.
    pub result: Result<Placed, DeliveryError>,
}

/// Counters of a producer, renewed every second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProducerStats {
    /// Bytes sent to brokers since the start, requests and compressed messages.
    pub sent_bytes: u64,
    /// Brokers with a connection.
    pub brokers_up: u32,
    /// Messages in the queue or without acknowledgement.
    pub queued_messages: u64,
    /// The quickest round trip to a broker in the last second.
    pub rtt: Option<Duration>,
    /// The last trouble with a connection, in words.
    pub last_error: Option<String>,
}

struct Callbacks {
    place: String,
    deliveries: Mutex<Sender<Delivery>>,
    stats: Mutex<ProducerStats>,
    trouble: Arc<Trouble>,
}

impl ClientContext for Callbacks {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        client::log(level, facility, message);
    }
    fn error(&self, error: Rd, reason: &str) {
        client::note_error(&self.trouble, &error, reason);
    }
    fn stats(&self, statistics: Statistics) {
        let up = |broker: &&rdkafka::statistics::Broker| broker.nodeid >= 0 && broker.state == "UP";
        let brokers_up = statistics.brokers.values().filter(up).count();
        if brokers_up > 0 {
            self.trouble.note_reached();
        }
        let brokers = statistics.brokers.values().filter(up);
        let rtts = brokers.filter_map(|broker| broker.rtt.as_ref()).filter(|rtt| rtt.cnt > 0);
        let rtt_us = rtts.filter_map(|rtt| u64::try_from(rtt.min).ok()).min();
        let mut stats = self.stats.lock().expect("no panic under the lock");
        stats.sent_bytes = u64::try_from(statistics.tx_bytes).unwrap_or(0);
        stats.brokers_up = u32::try_from(brokers_up).unwrap_or(u32::MAX);
        stats.queued_messages = statistics.msg_cnt;
        stats.rtt = rtt_us.map(Duration::from_micros);
    }
}

impl ProducerContext for Callbacks {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, token: usize) {
        let result = match result {
            Ok(message) => {
                self.trouble.note_reached();
                Ok(Placed { partition: message.partition(), offset: message.offset() })
            }
            Err((error, message)) => Err(self.failed(error, message.topic(), message.partition())),
        };
        // Nobody listens any more when the producer is being dropped.
        let _ = self
            .deliveries
            .lock()
            .expect("no panic under the lock")
            .send(Delivery { token: token as u64, result });
    }
}

impl Callbacks {
    fn failed(&self, error: &Rd, topic: &str, partition: i32) -> DeliveryError {
        let code = error.rdkafka_error_code().unwrap_or(Code::Unknown);
        let subject = if partition < 0 {
            format!("topic `{topic}`")
        } else {
            format!("topic `{topic}`, partition {partition}")
        };
        DeliveryError {
            too_large: is_too_large(code),
            fatal: code == Code::Fatal,
            kind: KafkaError::of(&self.place, &subject, error, self.trouble.last()),
        }
    }
}

fn is_too_large(code: Code) -> bool {
    matches!(code, Code::MessageSizeTooLarge | Code::InvalidMessageSize)
}

/// A producer of frames (DESIGN section 3, Delivery). Its order per partition is the order of the calls to `send`.
///
/// A message is tried until it is acknowledged or refused: there is no timeout of its own. Dropping the producer
/// discards what is queued and waits a tenth of a second at most for its thread, not for the broker.
pub struct FrameProducer {
    producer: ThreadedProducer<Callbacks>,
    // A mutex only because the receiver can't be shared otherwise; there is one caller.
    deliveries: Mutex<Receiver<Delivery>>,
}

const DEFAULTS: [(&str, &str); 8] = [
    ("message.timeout.ms", "0"),
    ("topic.metadata.propagation.max.ms", "10000"),
    // Frames are batches already.
    ("linger.ms", "5"),
    ("compression.codec", "lz4"),
    // Above the topics' limit, so that the broker decides what is too large.
    ("message.max.bytes", "8454144"),
    ("queue.buffering.max.kbytes", "65536"),
    ("queue.buffering.max.messages", "100000"),
    ("statistics.interval.ms", "1000"),
];

const FIXED: [(&str, &str); 2] = [("enable.idempotence", "true"), ("acks", "all")];

impl FrameProducer {
    /// A producer with these properties; it connects by itself.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn new(properties: &Properties, client_id: &str) -> Result<Self, KafkaError> {
        Self::with_fixed(properties, client_id, &FIXED)
    }

    /// A producer whose messages fail after `timeout`.
    pub(crate) fn with_timeout(
        properties: &Properties,
        client_id: &str,
        timeout: Duration,
    ) -> Result<Self, KafkaError> {
        let timeout_ms = timeout.as_millis().max(1).to_string();
        // A topic that is not in the metadata counts as missing in time to say so.
        let missing_ms = (timeout / 2).as_millis().max(1).to_string();
        let fixed = [
            // Saves the half second that the producer's number takes. With one message at a time the order is safe,
            // and a command or status that a retry wrote twice says the same twice.
            ("enable.idempotence", "false"),
            ("acks", "all"),
            ("message.timeout.ms", &timeout_ms),
            ("topic.metadata.propagation.max.ms", &missing_ms),
            ("linger.ms", "0"),
        ];
        Self::with_fixed(properties, client_id, &fixed)
    }

    fn with_fixed(
        properties: &Properties,
        client_id: &str,
        fixed: &[(&str, &str)],
    ) -> Result<Self, KafkaError> {
        let config = client::config(properties, client_id, &DEFAULTS, fixed)?;
        let (sender, receiver) = channel();
        let callbacks = Callbacks {
            place: client::place(properties).to_owned(),
            deliveries: Mutex::new(sender),
            stats: Mutex::default(),
            trouble: Arc::default(),
        };
        let producer = ThreadedProducer::from_config_and_context(&config, callbacks)
            .map_err(|error| KafkaError::of_config(&error))?;
        Ok(Self { producer, deliveries: Mutex::new(receiver) })
    }

    /// Queues a message; `token` comes back with its delivery.
    ///
    /// # Errors
    /// A [`SendError`]; then there will be no delivery.
    pub fn send(&self, record: Record<'_>, token: u64) -> Result<(), SendError> {
        self.queue(record, Some(record.partition), true, token)
    }

    /// Queues a message that may lack a partition (then its key decides) and a value.
    pub(crate) fn queue(
        &self,
        record: Record<'_>,
        partition: Option<i32>,
        with_value: bool,
        token: u64,
    ) -> Result<(), SendError> {
        let token = usize::try_from(token).map_err(|_| {
            SendError::Refused(KafkaError::Other(format!("token {token} is too large")))
        })?;
        let mut message = BaseRecord::with_opaque_to(record.topic, token).key(record.key);
        if let Some(partition) = partition {
            message = message.partition(partition);
        }
        if with_value {
            message = message.payload(record.payload);
        }
        if !record.headers.is_empty() {
            let headers = OwnedHeaders::new_with_capacity(record.headers.len());
            let add = |headers: OwnedHeaders, (key, value): &(&str, &str)| {
                headers.insert(Header { key, value: Some(*value) })
            };
            message = message.headers(record.headers.iter().fold(headers, add));
        }
        self.producer.send(message).map_err(|(error, _)| self.refused(&error, record))
    }

    fn refused(&self, error: &Rd, record: Record<'_>) -> SendError {
        if let Some((_, reason)) = self.producer.client().fatal_error() {
            return SendError::Fatal(reason);
        }
        let failed = self.producer.context().failed(error, record.topic, record.partition);
        match error.rdkafka_error_code() {
            Some(Code::QueueFull) => SendError::QueueFull,
            _ if failed.too_large => SendError::TooLarge(failed.kind),
            _ => SendError::Refused(failed.kind),
        }
    }

    /// Appends what became of messages; waits for the first at most `timeout`.
    pub fn poll(&self, timeout: Duration, deliveries: &mut Vec<Delivery>) {
        let receiver = self.deliveries.lock().expect("no panic under the lock");
        deliveries.extend(receiver.try_iter());
        if deliveries.is_empty() && !timeout.is_zero() {
            deliveries.extend(receiver.recv_timeout(timeout));
            deliveries.extend(receiver.try_iter());
        }
    }

    /// Waits until all messages have a delivery, at most `timeout`; returns whether they have. Poll afterwards.
    #[must_use]
    pub fn flush(&self, timeout: Duration) -> bool {
        self.producer.flush(timeout).is_ok()
    }

    /// The counters, as of the last second.
    #[must_use]
    pub fn stats(&self) -> ProducerStats {
        let callbacks = self.producer.context();
        let mut stats = callbacks.stats.lock().expect("no panic under the lock").clone();
        stats.last_error = callbacks.trouble.last();
        stats
    }
}

impl std::fmt::Debug for FrameProducer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameProducer").finish_non_exhaustive()
    }
}
