//! Topics: made as they should be, or checked.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::Consumer as _;
use rdkafka::error::RDKafkaErrorCode as Code;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{self, ASK_TIMEOUT, Bounds, Context};
use crate::error::plain;
use crate::{KafkaError, Offsets, Properties};

/// A topic as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSpec {
    /// Its name.
    pub name: String,
    /// Its number of partitions.
    pub partitions: i32,
    /// Its configuration where it differs from the broker's.
    pub configs: Vec<(String, String)>,
}

/// What became of a [`TopicSpec`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ensured {
    /// The topic was made.
    Created(String),
    /// The topic was there, and fits.
    Existed(String),
}

/// How often a new topic is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The settings of an existing topic that must be as asked for: they decide about correctness, not about cost.
const CHECKED: [&str; 2] = ["message.timestamp.type", "cleanup.policy"];

/// Makes the topics that are missing and checks those that are there. All of them are looked at before an error.
///
/// # Errors
/// The topics that have another number of partitions, time stamps of another type or another cleanup policy, each
/// named; or brokers that do not answer.
pub fn ensure_topics(
    properties: &Properties,
    specs: &[TopicSpec],
) -> Result<Vec<Ensured>, KafkaError> {
    let place = client::place(properties);
    let config = client::config(properties, "sluice-admin", &[], &[])?;
    let admin = AdminClient::from_config_and_context(&config, Context::default())
        .map_err(|error| KafkaError::of_config(&error))?;
    // A first question tells unreachable brokers apart, which the answers below would not.
    let asker = client::asker(properties)?;
    if let Some(first) = specs.first() {
        client::partition_count(&asker, place, &first.name, ASK_TIMEOUT)?;
    }
    let options =
        AdminOptions::new().request_timeout(Some(ASK_TIMEOUT)).operation_timeout(Some(ASK_TIMEOUT));
    let topics: Vec<NewTopic<'_>> = specs.iter().map(new_topic).collect();
    let results = block_on(admin.create_topics(&topics, &options))
        .map_err(|error| KafkaError::of(place, "creation of topics", &error, None))?;
    let mut ensured = Vec::new();
    let mut problems = Vec::new();
    for (spec, result) in specs.iter().zip(results) {
        match result {
            Ok(name) => {
                await_topic(&asker, place, spec)?;
                ensured.push(Ensured::Created(name));
            }
            Err((name, Code::TopicAlreadyExists)) => {
                problems.extend(check(&admin, &asker, place, spec, &options)?);
                ensured.push(Ensured::Existed(name));
            }
            Err((name, code)) => problems.push(format!("topic `{name}`: {}", plain(code))),
        }
    }
    if problems.is_empty() { Ok(ensured) } else { Err(KafkaError::Other(problems.join("; "))) }
}

/// The controller answers before the brokers know a new topic; who asks for it at once would be told that it is missing.
fn await_topic(
    asker: &rdkafka::consumer::BaseConsumer<Context>,
    place: &str,
    spec: &TopicSpec,
) -> Result<(), KafkaError> {
    let deadline = Instant::now() + ASK_TIMEOUT;
    while client::partition_count(asker, place, &spec.name, ASK_TIMEOUT)?.is_none() {
        if Instant::now() >= deadline {
            let what = format!("topic `{}` was created, but no broker knows it", spec.name);
            return Err(KafkaError::missing(place, what));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

fn new_topic(spec: &TopicSpec) -> NewTopic<'_> {
    // The broker's default replication factor (KIP-464).
    let topic = NewTopic::new(&spec.name, spec.partitions, TopicReplication::Fixed(-1));
    spec.configs.iter().fold(topic, |topic, (name, value)| topic.set(name, value))
}

fn check(
    admin: &AdminClient<Context>,
    asker: &rdkafka::consumer::BaseConsumer<Context>,
    place: &str,
    spec: &TopicSpec,
    options: &AdminOptions,
) -> Result<Vec<String>, KafkaError> {
    let mut problems = Vec::new();
    let name = &spec.name;
    let count = client::partition_count(asker, place, name, ASK_TIMEOUT)?.unwrap_or(0);
    if count != spec.partitions {
        problems.push(format!(
            "topic `{name}` exists with {count} partitions, {} are needed",
            spec.partitions
        ));
    }
    let resource = [ResourceSpecifier::Topic(name)];
    let described = block_on(admin.describe_configs(&resource, options)).map_err(|error| {
        KafkaError::of(place, &format!("configuration of topic `{name}`"), &error, None)
    })?;
    for found in described {
        let found = found.map_err(|code| {
            KafkaError::Other(format!("configuration of topic `{name}`: {}", plain(code)))
        })?;
        for (setting, wanted) in &spec.configs {
            let value = found.get(setting).and_then(|entry| entry.value.as_deref());
            if CHECKED.contains(&setting.as_str()) && value.is_some_and(|value| value != wanted) {
                problems.push(format!(
                    "topic `{name}` exists with {setting}={}, {wanted} is needed",
                    value.unwrap_or_default()
                ));
            }
        }
    }
    Ok(problems)
}

/// The offset behind the last message of each partition.
///
/// # Errors
/// A missing topic, or brokers that do not answer.
pub fn end_offsets(properties: &Properties, topic: &str) -> Result<Offsets, KafkaError> {
    let asker = client::asker(properties)?;
    let bounds = client::bounds(&asker, client::place(properties), topic, ASK_TIMEOUT)?;
    Ok(bounds.into_iter().map(|found| (found.partition, found.high)).collect())
}

/// How many messages of a topic a consumer group has not committed yet.
///
/// # Errors
/// A missing topic, or brokers that do not answer.
pub fn lag(properties: &Properties, group: &str, topic: &str) -> Result<i64, KafkaError> {
    let asker = client::consumer(properties, "sluice-ask", &[], &[("group.id", group)])?;
    let place = client::place(properties);
    let bounds = client::bounds(&asker, place, topic, ASK_TIMEOUT)?;
    let mut list = TopicPartitionList::new();
    for bound in &bounds {
        list.add_partition(topic, bound.partition);
    }
    let committed = asker.committed_offsets(list, ASK_TIMEOUT).map_err(|error| {
        KafkaError::of(place, &format!("offsets of group `{group}`"), &error, None)
    })?;
    let lag = bounds.iter().map(|Bounds { partition, low, high }| {
        let next = match committed.find_partition(topic, *partition).map(|found| found.offset()) {
            Some(Offset::Offset(next)) => next.max(*low),
            _ => *low,
        };
        high - next
    });
    Ok(lag.sum())
}

/// Whether there is such a topic.
///
/// # Errors
/// Brokers that do not answer.
pub fn exists(properties: &Properties, topic: &str) -> Result<bool, KafkaError> {
    let asker = client::asker(properties)?;
    let count = client::partition_count(&asker, client::place(properties), topic, ASK_TIMEOUT)?;
    Ok(count.is_some())
}

/// The number of partitions of a topic.
///
/// # Errors
/// A missing topic, or brokers that do not answer.
pub fn partitions(properties: &Properties, topic: &str) -> Result<i32, KafkaError> {
    let asker = client::asker(properties)?;
    let place = client::place(properties);
    client::partition_count(&asker, place, topic, ASK_TIMEOUT)?
        .ok_or_else(|| KafkaError::missing(place, format!("topic `{topic}` does not exist")))
}

/// Waits for an answer of the admin client, whose own thread delivers it; no runtime is needed.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut task = TaskContext::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut task) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
