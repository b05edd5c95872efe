//! The settings and callbacks that all clients share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rdkafka::ClientContext;
use rdkafka::config::{ClientConfig, FromClientConfigAndContext, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError as Rd, KafkaResult, RDKafkaErrorCode as Code};
use rdkafka::topic_partition_list::TopicPartitionList;
use tracing::debug;

use crate::trouble::Trouble;
use crate::{KafkaError, Properties};

/// The property that says where the brokers are.
const SERVERS: &str = "bootstrap.servers";

/// How long a question to the broker may take.
pub(crate) const ASK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait between two questions while leaders are being chosen.
const SETTLE: Duration = Duration::from_millis(50);

/// How many queued events one look at a client's trouble takes in.
const EVENTS_A_LOOK: u32 = 64;

/// Properties that suit every client; the user's come on top.
const COMMON: [(&str, &str); 4] = [
    ("socket.keepalive.enable", "true"),
    ("socket.nagle.disable", "true"),
    // After an outage the link should not stay unused for long.
    ("reconnect.backoff.max.ms", "2000"),
    ("allow.auto.create.topics", "false"),
];

/// The brokers as set, for messages.
pub(crate) fn place(properties: &Properties) -> &str {
    properties.get(SERVERS).map_or("(not set)", String::as_str)
}

/// Common properties, then `defaults`, then the user's, then `fixed`.
pub(crate) fn config(
    properties: &Properties,
    client_id: &str,
    defaults: &[(&str, &str)],
    fixed: &[(&str, &str)],
) -> Result<ClientConfig, KafkaError> {
    if properties.get(SERVERS).is_none_or(|servers| servers.trim().is_empty()) {
        return Err(KafkaError::Config {
            setting: crate::error::BOOTSTRAP.to_owned(),
            what: "not set; it must name at least one HOST:PORT".to_owned(),
        });
    }
    let mut config = ClientConfig::new();
    config.set("client.id", client_id);
    for (name, value) in COMMON.iter().chain(defaults) {
        config.set(*name, *value);
    }
    for (name, value) in properties {
        config.set(name, value);
    }
    for (name, value) in fixed {
        config.set(*name, *value);
    }
    config.set_log_level(RDKafkaLogLevel::Warning);
    Ok(config)
}

/// What the group did with a consumer's partitions.
#[derive(Debug)]
pub(crate) enum Assignment {
    Assigned(Vec<i32>),
    Revoked(Vec<i32>),
}

/// Callbacks of consumers and of clients that only ask.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) trouble: Arc<Trouble>,
    pub(crate) assignments: Arc<Mutex<VecDeque<Assignment>>>,
}

/// Librdkafka's own log lines repeat what the error callback says; they are for debugging.
pub(crate) fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    debug!(target: "librdkafka", ?level, facility, "{message}");
}

/// Notes the reason of a failed connection. Other errors come as the result of a poll or of a delivery too.
pub(crate) fn note_error(trouble: &Trouble, error: &Rd, reason: &str) {
    match error.rdkafka_error_code() {
        // A count of brokers; the reason for each came before.
        Some(Code::AllBrokersDown) => {}
        Some(code) if crate::error::is_connection(code) || code == Code::Fatal => {
            trouble.note(reason)
        }
        _ => {}
    }
    debug!(target: "librdkafka", %error, reason);
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        log(level, facility, message);
    }
    fn error(&self, error: Rd, reason: &str) {
        note_error(&self.trouble, &error, reason);
    }
}

impl ConsumerContext for Context {
    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let change = match rebalance {
            Rebalance::Assign(partitions) => {
                // The group's coordinator is at an address that it advertises.
                self.trouble.note_reached();
                Assignment::Assigned(numbers(partitions))
            }
            Rebalance::Revoke(partitions) => Assignment::Revoked(numbers(partitions)),
            Rebalance::Error(error) => return self.trouble.note(&error.to_string()),
        };
        self.assignments.lock().expect("no panic under the lock").push_back(change);
    }
    fn commit_callback(&self, result: KafkaResult<()>, _: &TopicPartitionList) {
        // Commits repeat what they confirm: the next one makes up for a failed one.
        if let Err(error) = result {
            debug!(%error, "a commit failed");
        }
    }
}

fn numbers(partitions: &TopicPartitionList) -> Vec<i32> {
    partitions.elements().iter().map(|element| element.partition()).collect()
}

/// A consumer of one of the kinds in this crate.
pub(crate) fn consumer(
    properties: &Properties,
    client_id: &str,
    defaults: &[(&str, &str)],
    fixed: &[(&str, &str)],
) -> Result<BaseConsumer<Context>, KafkaError> {
    let config = config(properties, client_id, defaults, fixed)?;
    BaseConsumer::from_config_and_context(&config, Context::default())
        .map_err(|error| KafkaError::of_config(&error))
}

/// A client without group or assignment, for metadata and offsets.
pub(crate) fn asker(properties: &Properties) -> Result<BaseConsumer<Context>, KafkaError> {
    consumer(properties, "sluice-ask", &[], &[])
}

/// The number of partitions of a topic; none when it does not exist.
pub(crate) fn partition_count(
    consumer: &BaseConsumer<Context>,
    place: &str,
    topic: &str,
    timeout: Duration,
) -> Result<Option<i32>, KafkaError> {
    let subject = format!("topic `{topic}`");
    let count = once_settled(timeout, || {
        let metadata = consumer.fetch_metadata(Some(topic), timeout)?;
        let Some(found) = metadata.topics().iter().find(|found| found.name() == topic) else {
            return Ok(0);
        };
        match found.error().map(Code::from) {
            None => Ok(found.partitions().len()),
            Some(code) if crate::error::is_missing(code) => Ok(0),
            Some(code) => Err(Rd::MetadataFetch(code)),
        }
    });
    let count =
        count.map_err(|error| KafkaError::of(place, &subject, &error, last_trouble(consumer)))?;
    Ok(i32::try_from(count).ok().filter(|count| *count > 0))
}

/// Asks again while leaders are being chosen, at most for `timeout`.
fn once_settled<T>(timeout: Duration, mut ask: impl FnMut() -> Result<T, Rd>) -> Result<T, Rd> {
    let deadline = Instant::now() + timeout;
    loop {
        match ask() {
            Err(error)
                if error.rdkafka_error_code().is_some_and(crate::error::is_settling)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(SETTLE);
            }
            answer => return answer,
        }
    }
}

/// Which offsets a partition has.
pub(crate) struct Bounds {
    pub(crate) partition: i32,
    /// The first that is kept.
    pub(crate) low: i64,
    /// The one behind the last.
    pub(crate) high: i64,
}

/// Which offsets each partition of a topic has.
pub(crate) fn bounds(
    consumer: &BaseConsumer<Context>,
    place: &str,
    topic: &str,
    timeout: Duration,
) -> Result<Vec<Bounds>, KafkaError> {
    let missing = || KafkaError::missing(place, format!("topic `{topic}` does not exist"));
    let count = partition_count(consumer, place, topic, timeout)?.ok_or_else(missing)?;
    (0..count)
        .map(|partition| {
            let ask = || consumer.fetch_watermarks(topic, partition, timeout);
            match once_settled(timeout, ask) {
                Ok((low, high)) => Ok(Bounds { partition, low, high }),
                Err(error) => {
                    let subject = format!("topic `{topic}`, partition {partition}");
                    Err(KafkaError::of(place, &subject, &error, last_trouble(consumer)))
                }
            }
        })
        .collect()
}

/// What the client last reported. Only for clients without assignment: a message would be lost here.
pub(crate) fn last_trouble(consumer: &BaseConsumer<Context>) -> Option<String> {
    // The callbacks run while the queue is polled, one event a call, of which log lines give nothing.
    for _ in 0..EVENTS_A_LOOK {
        let _ = consumer.poll(Duration::ZERO);
    }
    consumer.context().trouble.last()
}
