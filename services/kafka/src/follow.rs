//! Follows compacted topics from their beginning, for ever, also while the link is down.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::Message as _;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError as Rd;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use tokio::sync::mpsc;

use crate::client::{self, Bounds, Context};
use crate::error::plain;
use crate::trouble::Limiter;
use crate::{KafkaError, Properties};

/// A message of a followed topic: the latest value of its key, or the news that the key is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its topic.
    pub topic: Arc<str>,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// Its key; what is no UTF-8 in it is replaced.
    pub key: Option<String>,
    /// Its value; none deletes the key.
    pub value: Option<Vec<u8>>,
    /// The broker's time, epoch milliseconds.
    pub timestamp_ms: i64,
}

/// What a follower has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// The next row.
    Row(Row),
    /// Said once: every row that was there at the start has been given.
    CaughtUp,
    /// Why no row comes, in words; it goes on trying. The same text at most every ten seconds.
    Trouble(String),
}

/// Follows topics on a thread of its own; stops when dropped.
#[derive(Debug)]
pub struct Follower {
    followed: mpsc::Receiver<Followed>,
    partitions: Partitions,
    stop: Arc<AtomicBool>,
}

/// By topic, the number of its partitions.
type Partitions = Arc<Mutex<BTreeMap<Arc<str>, i32>>>;

/// Rows that wait for the one who follows; then the thread waits.
const QUEUED_ROWS: usize = 1024;

/// How often the thread looks whether it should stop.
const LOOK: Duration = Duration::from_millis(100);

/// How long the questions at the start may take, and how long it waits between tries.
const ASK: Duration = Duration::from_secs(5);

const DEFAULTS: [(&str, &str); 5] = [
    ("queued.max.messages.kbytes", "4096"),
    ("fetch.queue.backoff.ms", "10"),
    ("fetch.message.max.bytes", "1048576"),
    ("fetch.error.backoff.ms", "200"),
    // Needed for an assignment; without a subscription nobody joins it.
    ("group.id", "sluice-follow"),
];

const FIXED: [(&str, &str); 4] = [
    ("enable.auto.commit", "false"),
    ("enable.partition.eof", "true"),
    // A topic that was made again is read again.
    ("auto.offset.reset", "earliest"),
    ("isolation.level", "read_committed"),
];

impl Follower {
    /// Begins to follow the topics from their beginning.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit; everything else becomes [`Followed::Trouble`].
    pub fn start(
        properties: &Properties,
        topics: &[&str],
        client_id: &str,
    ) -> Result<Self, KafkaError> {
        let consumer = client::consumer(properties, client_id, &DEFAULTS, &FIXED)?;
        let (sender, followed) = mpsc::channel(QUEUED_ROWS);
        let stop = Arc::new(AtomicBool::new(false));
        let partitions = Partitions::default();
        let worker = Worker {
            partitions: Arc::clone(&partitions),
            consumer,
            place: client::place(properties).to_owned(),
            topics: topics.iter().map(|topic| Arc::from(*topic)).collect(),
            sender,
            stop: Arc::clone(&stop),
            limiter: Limiter::default(),
        };
        std::thread::Builder::new()
            .name("sluice-follow".to_owned())
            .spawn(move || worker.run())
            .map_err(|error| KafkaError::Other(format!("no thread to follow topics: {error}")))?;
        Ok(Self { followed, partitions, stop })
    }

    /// How many partitions a followed topic had when its rows began to come; none before.
    #[must_use]
    pub fn partitions(&self, topic: &str) -> Option<i32> {
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner).get(topic).copied()
    }

    /// The next thing to know. May be dropped while it waits; nothing is lost.
    pub async fn next(&mut self) -> Followed {
        match self.followed.recv().await {
            Some(followed) => followed,
            // The thread only ends after a panic, which it has printed.
            None => std::future::pending().await,
        }
    }

    /// The next thing to know if there is one already.
    pub fn try_next(&mut self) -> Option<Followed> {
        self.followed.try_recv().ok()
    }

    /// The next thing to know, for plain threads; none when the follower's thread has died.
    pub fn next_blocking(&mut self) -> Option<Followed> {
        self.followed.blocking_recv()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The one who follows is gone.
struct Gone;

struct Worker {
    partitions: Partitions,
    consumer: BaseConsumer<Context>,
    place: String,
    topics: Vec<Arc<str>>,
    sender: mpsc::Sender<Followed>,
    stop: Arc<AtomicBool>,
    limiter: Limiter,
}

impl Worker {
    fn run(mut self) {
        // Either way the one who follows is gone, and nobody is left to tell.
        let _ = self.follow();
    }

    fn follow(&mut self) -> Result<(), Gone> {
        let mut catching = loop {
            match self.begin() {
                Ok(catching) => break catching,
                Err(error) => self.trouble(error.to_string())?,
            }
            self.pause()?;
        };
        let mut caught_up = false;
        loop {
            if catching.done() && !caught_up {
                caught_up = true;
                self.say(Followed::CaughtUp)?;
            }
            self.check_stop()?;
            let polled = self.consumer.poll(LOOK).map(|polled| match polled {
                Ok(message) => Ok(Row {
                    topic: self.known(message.topic()),
                    partition: message.partition(),
                    offset: message.offset(),
                    key: message.key().map(|key| String::from_utf8_lossy(key).into_owned()),
                    value: message.payload().map(<[u8]>::to_vec),
                    timestamp_ms: message.timestamp().to_millis().unwrap_or(0),
                }),
                Err(error) => Err(error),
            });
            match polled {
                None => {}
                Some(Ok(row)) => {
                    self.consumer.context().trouble.note_reached();
                    catching.row(&row.topic, row.partition, row.offset);
                    self.say(Followed::Row(row))?;
                }
                Some(Err(Rd::PartitionEOF(partition))) => {
                    self.consumer.context().trouble.note_reached();
                    catching.end(partition);
                }
                Some(Err(error)) => {
                    if let Some(text) = self.in_words(&error) {
                        self.trouble(text)?;
                    }
                }
            }
            if let Some(text) = self.consumer.context().trouble.take_fresh() {
                self.trouble(text)?;
            }
        }
    }

    /// Finds the partitions and their ends, and begins to fetch.
    fn begin(&self) -> Result<Catching, KafkaError> {
        let mut assignment = TopicPartitionList::new();
        let mut catching = Catching::default();
        for topic in &self.topics {
            let bounds = client::bounds(&self.consumer, &self.place, topic, ASK)?;
            let mut partitions = self.partitions.lock().unwrap_or_else(PoisonError::into_inner);
            partitions.insert(Arc::clone(topic), i32::try_from(bounds.len()).unwrap_or(i32::MAX));
            drop(partitions);
            for Bounds { partition, low, high } in bounds {
                catching.expect(topic, partition, low, high);
                assignment
                    .add_partition_offset(topic, partition, Offset::Beginning)
                    .map_err(|error| KafkaError::Other(error.to_string()))?;
            }
        }
        self.consumer.assign(&assignment).map_err(|error| KafkaError::Other(error.to_string()))?;
        Ok(catching)
    }

    /// An error of the fetching in words; none when the connection's own report says it better.
    fn in_words(&self, error: &Rd) -> Option<String> {
        let code = error.rdkafka_error_code()?;
        if crate::error::is_connection(code) {
            None
        } else if crate::error::is_missing(code) {
            Some(KafkaError::missing(&self.place, self.topics.join(", ")).to_string())
        } else {
            Some(format!("following {}: {}", self.topics.join(", "), plain(code)))
        }
    }

    fn known(&self, name: &str) -> Arc<str> {
        let known = self.topics.iter().find(|topic| ***topic == *name);
        known.map_or_else(|| Arc::from(name), Arc::clone)
    }

    fn trouble(&mut self, text: String) -> Result<(), Gone> {
        match self.limiter.pass(text, Instant::now()) {
            Some(text) => self.say(Followed::Trouble(text)),
            None => Ok(()),
        }
    }

    fn say(&self, followed: Followed) -> Result<(), Gone> {
        self.sender.blocking_send(followed).map_err(|_| Gone)
    }

    fn check_stop(&self) -> Result<(), Gone> {
        if self.stop.load(Ordering::Relaxed) { Err(Gone) } else { Ok(()) }
    }

    fn pause(&self) -> Result<(), Gone> {
        let until = Instant::now() + ASK / 5;
        while Instant::now() < until {
            self.check_stop()?;
            std::thread::park_timeout(LOOK);
        }
        Ok(())
    }
}

/// Which partitions have not been read to the end that they had at the start.
///
/// The last row of a compacted partition may be gone (a deletion that ran out), so an offset below the end is not
/// enough; librdkafka's report of a partition's end is, but rdkafka does not say of which topic. So a partition number
/// is through when its rows have come, or when as many ends were reported as there are topics that have it.
#[derive(Debug, Default)]
struct Catching {
    /// By topic and partition: the end at the start. Only those that still miss rows.
    ends: BTreeMap<(Arc<str>, i32), i64>,
    /// By partition number: in how many topics it is, and how many ends were reported.
    reported: BTreeMap<i32, (u32, u32)>,
}

impl Catching {
    fn expect(&mut self, topic: &Arc<str>, partition: i32, low: i64, high: i64) {
        self.reported.entry(partition).or_default().0 += 1;
        if high > low {
            self.ends.insert((Arc::clone(topic), partition), high);
        }
    }

    fn row(&mut self, topic: &Arc<str>, partition: i32, offset: i64) {
        if self.ends.is_empty() {
            return;
        }
        let key = (Arc::clone(topic), partition);
        if self.ends.get(&key).is_some_and(|end| offset + 1 >= *end) {
            self.ends.remove(&key);
        }
    }

    fn end(&mut self, partition: i32) {
        let (topics, ends) = self.reported.entry(partition).or_default();
        *ends += 1;
        if ends >= topics {
            self.ends.retain(|(_, other), _| *other != partition);
        }
    }

    fn done(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catching() -> (Catching, Arc<str>, Arc<str>) {
        let (a, b): (Arc<str>, Arc<str>) = (Arc::from("a"), Arc::from("b"));
        let mut catching = Catching::default();
        catching.expect(&a, 0, 0, 3);
        catching.expect(&a, 1, 5, 5);
        catching.expect(&b, 0, 0, 2);
        (catching, a, b)
    }

    #[test]
    fn caught_up_when_the_last_rows_came() {
        let (mut catching, a, b) = catching();
        catching.row(&a, 0, 2);
        assert!(!catching.done());
        catching.row(&b, 0, 1);
        assert!(catching.done());
    }

    #[test]
    fn a_last_row_that_is_gone_is_not_waited_for() {
        let (mut catching, a, _) = catching();
        catching.row(&a, 0, 1);
        catching.end(0);
        assert!(!catching.done());
        catching.end(0);
        assert!(catching.done());
    }
}
