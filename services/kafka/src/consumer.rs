//! The consumer of a stage topic: a member of its group that decides itself what it commits.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError as Rd, KafkaResult};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{self, Assignment, Context};
use crate::error::plain;
use crate::trouble::Limiter;
use crate::{KafkaError, Message, Properties};

/// What a poll gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Polled {
    /// The next message of an assigned partition.
    Message(Message),
    /// Partitions came; reading begins at their committed offset, else at their beginning.
    Assigned(Vec<i32>),
    /// Partitions went; another member may read them already.
    Revoked(Vec<i32>),
    /// Why no message comes, in words; it goes on trying. The same text at most every ten seconds.
    Trouble(String),
}

/// A member of a group that reads one topic.
pub struct StageConsumer {
    consumer: BaseConsumer<Context>,
    topic: String,
    place: String,
    limiter: Limiter,
}

const DEFAULTS: [(&str, &str); 5] = [
    ("partition.assignment.strategy", "cooperative-sticky"),
    ("queued.max.messages.kbytes", "16384"),
    // When that is full the default is to wait for a second, in which the queue runs dry.
    ("fetch.queue.backoff.ms", "10"),
    ("fetch.message.max.bytes", "1048576"),
    ("fetch.error.backoff.ms", "200"),
];

/// How long a seek may take.
const SEEK: Duration = Duration::from_secs(10);

impl StageConsumer {
    /// Joins `group` as a reader of `topic`; it connects by itself.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn new(
        properties: &Properties,
        topic: &str,
        group: &str,
        client_id: &str,
    ) -> Result<Self, KafkaError> {
        let fixed = [
            ("group.id", group),
            ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"),
            ("auto.offset.reset", "earliest"),
            ("isolation.level", "read_committed"),
        ];
        let consumer = client::consumer(properties, client_id, &DEFAULTS, &fixed)?;
        consumer.subscribe(&[topic]).map_err(|error| KafkaError::Other(error.to_string()))?;
        let (topic, place) = (topic.to_owned(), client::place(properties).to_owned());
        Ok(Self { consumer, topic, place, limiter: Limiter::default() })
    }

    /// The next thing to know, waited for at most `timeout`. To be called at least every few minutes
    /// (`max.poll.interval.ms`), or the group takes the partitions away.
    pub fn poll(&mut self, timeout: Duration) -> Option<Polled> {
        if let Some(change) = self.assignment_change() {
            return Some(change);
        }
        let polled = self.consumer.poll(timeout).map(|polled| polled.map(|m| Message::take(&m)));
        let polled = match polled {
            Some(Ok(message)) => {
                self.consumer.context().trouble.note_reached();
                // A change that came during the poll is newer than the message: a message of a partition that went
                // is stale, one of a partition that came can't be there yet.
                return Some(Polled::Message(message));
            }
            Some(Err(error)) => self.in_words(&error),
            None => None,
        };
        if let Some(change) = self.assignment_change() {
            return Some(change);
        }
        let text = polled.or_else(|| self.consumer.context().trouble.take_fresh())?;
        self.limiter.pass(text, Instant::now()).map(Polled::Trouble)
    }

    fn assignment_change(&self) -> Option<Polled> {
        let changes = &self.consumer.context().assignments;
        match changes.lock().expect("no panic under the lock").pop_front()? {
            Assignment::Assigned(partitions) => Some(Polled::Assigned(partitions)),
            Assignment::Revoked(partitions) => Some(Polled::Revoked(partitions)),
        }
    }

    fn in_words(&self, error: &Rd) -> Option<String> {
        let code = error.rdkafka_error_code()?;
        if crate::error::is_connection(code) {
            None
        } else if crate::error::is_missing(code) {
            let what = format!("topic `{}`: {}", self.topic, plain(code));
            Some(KafkaError::missing(&self.place, what).to_string())
        } else {
            Some(format!("topic `{}`: {}", self.topic, plain(code)))
        }
    }

    /// Commits the offset of the next message to read, by partition, without waiting for the broker.
    ///
    /// # Errors
    /// When the request can't be made. That it failed later is no error: the next commit makes up for it.
    pub fn commit(&self, next: &[(i32, i64)]) -> Result<(), KafkaError> {
        self.commit_as(next, CommitMode::Async)
    }

    /// The same, waiting for the broker: before the end of the process.
    ///
    /// # Errors
    /// Why the commit failed.
    pub fn commit_and_wait(&self, next: &[(i32, i64)]) -> Result<(), KafkaError> {
        self.commit_as(next, CommitMode::Sync)
    }

    fn commit_as(&self, next: &[(i32, i64)], mode: CommitMode) -> Result<(), KafkaError> {
        if next.is_empty() {
            return Ok(());
        }
        let done = self.with_offsets(next).and_then(|list| self.consumer.commit(&list, mode));
        done.map_err(|error| self.failed("commit", &error))
    }

    /// Reads on from these offsets; what was fetched beyond them is discarded.
    ///
    /// # Errors
    /// When the seek fails, also because a partition went in between.
    pub fn seek(&self, next: &[(i32, i64)]) -> Result<(), KafkaError> {
        if next.is_empty() {
            return Ok(());
        }
        let list =
            self.with_offsets(next).and_then(|list| self.consumer.seek_partitions(list, SEEK));
        let list = list.map_err(|error| self.failed("seek", &error))?;
        let failed = list.elements().iter().find_map(|partition| partition.error().err());
        failed.map_or(Ok(()), |error| Err(self.failed("seek", &error)))
    }

    /// Gives no messages of these partitions until they are resumed.
    ///
    /// # Errors
    /// When a partition is not assigned.
    pub fn pause(&self, partitions: &[i32]) -> Result<(), KafkaError> {
        self.consumer.pause(&self.list(partitions)).map_err(|error| self.failed("pause", &error))
    }

    /// Gives messages of these partitions again.
    ///
    /// # Errors
    /// When a partition is not assigned.
    pub fn resume(&self, partitions: &[i32]) -> Result<(), KafkaError> {
        self.consumer.resume(&self.list(partitions)).map_err(|error| self.failed("resume", &error))
    }

    fn list(&self, partitions: &[i32]) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(&self.topic, *partition);
        }
        list
    }

    fn with_offsets(&self, offsets: &[(i32, i64)]) -> KafkaResult<TopicPartitionList> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in offsets {
            list.add_partition_offset(&self.topic, *partition, Offset::Offset(*offset))?;
        }
        Ok(list)
    }

    fn failed(&self, what: &str, error: &Rd) -> KafkaError {
        let trouble = self.consumer.context().trouble.last();
        KafkaError::of(&self.place, &format!("{what} of topic `{}`", self.topic), error, trouble)
    }
}

impl std::fmt::Debug for StageConsumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StageConsumer").field("topic", &self.topic).finish_non_exhaustive()
    }
}
