//! The topics that a controller reads: the compacted ones from their beginning, telemetry from now on, and the last decisions.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sluice_kafka::{Follower, KafkaError, Message, Offsets, Properties, Start, end_offsets, tail};
use sluice_model::topics;
use tokio::sync::mpsc;

/// The part that is waited for until the compacted topics were read.
pub const TOPICS: &str = "topics";
/// Decisions of the time before the start that are read, so that a history is there.
const OLD_DECISIONS: i64 = 5_000;
/// How long a failed read rests.
const REST: Duration = Duration::from_secs(2);
/// Messages that wait for the one who reads; then the thread waits.
const QUEUED: usize = 4_096;

/// A message of a topic that is no state.
#[derive(Debug)]
pub enum News {
    /// Of `sluice.telemetry`.
    Telemetry(Message),
    /// Of `sluice.decisions`.
    Decision(Message),
}

/// Everything that comes from topics.
pub struct Collector {
    /// Rows of queries, devices, control and status.
    pub rows: Follower,
    /// The rest.
    pub news: mpsc::Receiver<News>,
    stop: Arc<AtomicBool>,
}

impl Collector {
    /// Begins to read.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn start(properties: &Properties) -> Result<Self, KafkaError> {
        let shared = [topics::QUERIES, topics::DEVICES, topics::CONTROL, topics::STATUS];
        let rows = Follower::start(properties, &shared, "sluice-controller")?;
        let (sender, news) = mpsc::channel(QUEUED);
        let stop = Arc::new(AtomicBool::new(false));
        for (topic, of) in [
            (topics::TELEMETRY, News::Telemetry as fn(Message) -> News),
            (topics::DECISIONS, News::Decision),
        ] {
            let (properties, sender, stop) = (properties.clone(), sender.clone(), stop.clone());
            let reader = move || read_on(&properties, topic, &stop, of, &sender);
            thread::Builder::new().name(topic.replace('.', "-")).spawn(reader).map_err(
                |error| KafkaError::Other(format!("no thread to read {topic}: {error}")),
            )?;
        }
        Ok(Self { rows, news, stop })
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Reads a topic until it is told to stop, whatever goes wrong.
fn read_on(
    properties: &Properties,
    topic: &'static str,
    stop: &AtomicBool,
    of: fn(Message) -> News,
    sender: &mpsc::Sender<News>,
) {
    let mut next: Option<Offsets> = None;
    while !stop.load(Ordering::Relaxed) {
        let start =
            next.clone().map_or_else(|| begin(properties, topic), |next| Ok(Start::At(next)));
        let result = start.and_then(|start| {
            tail(properties, topic, &start, stop, |message| {
                next.get_or_insert_default().insert(message.partition, message.offset + 1);
                match sender.blocking_send(of(message)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
        });
        match result {
            Ok(_) => return,
            Err(error) => tracing::warn!("{error}; trying again"),
        }
        let until = Instant::now() + REST;
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            thread::park_timeout(Duration::from_millis(100));
        }
    }
}

/// Telemetry of the past says nothing of now; the last decisions are a history.
fn begin(properties: &Properties, topic: &str) -> Result<Start, KafkaError> {
    if topic != topics::DECISIONS {
        return Ok(Start::End);
    }
    let ends = end_offsets(properties, topic)?;
    let back = |(partition, end): (i32, i64)| (partition, (end - OLD_DECISIONS).max(0));
    Ok(Start::At(ends.into_iter().map(back).collect()))
}
