//! The shell of a worker: a thread with a consumer and a producer around the state machine.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sluice_kafka::{
    Delivery, FrameProducer, KafkaError, Message, Polled, Record, SendError, StageConsumer,
};
use sluice_model::topics;
use sluice_runtime::readiness::Readiness;

use crate::config::Settings;
use crate::core::{Core, Handled, Send, Stop};
use crate::meters::Meters;
use crate::telemetry::Telemeter;

/// How long the thread waits for a message before it looks around.
const IDLE_WAIT: Duration = Duration::from_millis(50);
/// How long it waits for acknowledgements when no message may be taken.
const BUDGET_WAIT: Duration = Duration::from_millis(20);
/// After this time without budget the partitions are paused, so that the group sees that the worker lives.
const PAUSE_AFTER: Duration = Duration::from_secs(1);
/// Messages taken between two looks around.
const MESSAGES_A_TURN: u32 = 256;
/// The wait after the first failure in a row; it doubles up to [`LONGEST_BACKOFF`].
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
/// The token of telemetry: nobody waits for it.
const TELEMETRY: u64 = u64::MAX;
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);

/// Why a worker's thread ends other than by being asked.
#[derive(Debug, thiserror::Error)]
enum Ended {
    /// A person must look.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// No consumer or producer can be made.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
}

/// A worker that runs.
struct Worker {
    core: Core,
    telemeter: Telemeter,
    settings: Settings,
    meters: Meters,
    consumer: StageConsumer,
    producer: FrameProducer,
    /// Messages that the producer had no room for.
    unsent: VecDeque<Send>,
    deliveries: Vec<Delivery>,
    stop: Arc<AtomicBool>,
    committed_at: Instant,
    /// Since when no message may be taken, and whether the partitions are paused.
    blocked_since: Option<Instant>,
    paused: bool,
    backoff: Duration,
}

/// Runs a worker until `stop` is set. An alarm is told to `readiness`, the metrics and the log.
///
/// # Errors
/// [`KafkaError::Config`] when a consumer or producer can't be made.
pub fn start(
    core: Core,
    telemeter: Telemeter,
    settings: &Settings,
    readiness: &Readiness,
    stop: &Arc<AtomicBool>,
) -> Result<std::thread::JoinHandle<()>, KafkaError> {
    let worker = Worker {
        meters: Meters::new(core.plan()),
        consumer: consumer(&core, settings)?,
        producer: producer(&core, settings)?,
        settings: settings.clone(),
        core,
        telemeter,
        unsent: VecDeque::new(),
        deliveries: Vec::new(),
        stop: Arc::clone(stop),
        committed_at: Instant::now(),
        blocked_since: None,
        paused: false,
        backoff: FIRST_BACKOFF,
    };
    let readiness = readiness.clone();
    std::thread::Builder::new()
        .name("sluice-worker".to_owned())
        .spawn(move || worker.run(&readiness))
        .map_err(|error| KafkaError::Other(format!("no thread for a worker: {error}")))
}

fn consumer(core: &Core, settings: &Settings) -> Result<StageConsumer, KafkaError> {
    let topic = &core.plan().topic;
    StageConsumer::new(&settings.kafka, topic, &topics::group(topic), "sluice-replica")
}

fn producer(core: &Core, settings: &Settings) -> Result<FrameProducer, KafkaError> {
    FrameProducer::new(&settings.kafka, &format!("sluice-replica-{}", core.plan().topic))
}

impl Worker {
    fn run(mut self, readiness: &Readiness) {
        let topic = Arc::clone(&self.core.plan().topic);
        tracing::info!(%topic, to = %self.core.plan().next_topic, "serving the stage");
        let mut result = Ok(());
        while result.is_ok() && !self.stop.load(Ordering::Relaxed) {
            result = self.turn();
        }
        self.drain();
        match result {
            Ok(()) => tracing::info!(%topic, "the stage is left"),
            Err(ended) => {
                self.meters.stopped.set(1.0);
                readiness.wait_for(&topic, &format!("stopped: {ended}"));
                tracing::error!(%topic, "the worker stops, nothing is skipped: {ended}");
            }
        }
    }

    fn turn(&mut self) -> Result<(), Ended> {
        self.settle(Duration::ZERO)?;
        self.send_unsent()?;
        if self.unsent.is_empty() && self.core.may_take() {
            self.unblock();
            self.take()?;
        } else {
            self.settle(BUDGET_WAIT)?;
            self.keep_membership()?;
        }
        self.meters.in_flight_bytes.set(self.core.in_flight_bytes() as f64);
        if self.committed_at.elapsed() >= self.settings.commit_interval {
            self.commit(StageConsumer::commit);
        }
        self.report_telemetry();
        Ok(())
    }

    /// Sends the counters, if that is due; the next ones make up for lost ones.
    fn report_telemetry(&mut self) {
        let Some(payload) = self.telemeter.poll(self.core.plan()) else { return };
        let (key, payload) = (&*self.telemeter.key, &*payload);
        let record = Record { topic: topics::TELEMETRY, partition: 0, key, headers: &[], payload };
        let _ = self.producer.send(record, TELEMETRY);
    }

    /// Takes messages while there are any, there is budget, and it is this turn.
    fn take(&mut self) -> Result<(), Ended> {
        let mut wait = IDLE_WAIT;
        for _ in 0..MESSAGES_A_TURN {
            let Some(polled) = self.consumer.poll(wait) else { break };
            self.handle(polled)?;
            if !self.unsent.is_empty() || !self.core.may_take() {
                break;
            }
            wait = Duration::ZERO;
        }
        Ok(())
    }

    fn handle(&mut self, polled: Polled) -> Result<(), Ended> {
        let topic = &self.core.plan().topic;
        match polled {
            Polled::Message(message) => self.handle_message(&message)?,
            Polled::Assigned(partitions) => {
                tracing::info!(%topic, ?partitions, "partitions came");
                self.core.handle_assigned(&partitions);
            }
            Polled::Revoked(partitions) => {
                tracing::info!(%topic, ?partitions, "partitions went");
                self.core.handle_revoked(&partitions);
            }
            Polled::Trouble(text) => tracing::warn!(%topic, "{text}"),
        }
        Ok(())
    }

    fn handle_message(&mut self, message: &Message) -> Result<(), Ended> {
        let mut sends = Vec::new();
        let handled = match self.core.handle_message(message, &mut sends) {
            // Its host did not come up again in time; it may later.
            Err(Stop::Engine(error)) => return self.rewind(&error.to_string()),
            handled => handled?,
        };
        self.meters.handled(handled);
        if handled == Handled::LeftOut {
            return self.rejoin("the consumer left messages out");
        }
        if let Handled::Taken { garbage: true, .. } = handled {
            let (partition, offset) = (message.partition, message.offset);
            let topic = &self.core.plan().topic;
            tracing::warn!(%topic, partition, offset, "no frame; copied to {}", self.core.plan().dead_topic);
        }
        self.unsent.extend(sends);
        self.send_unsent()
    }

    /// Gives the producer what it has room for.
    fn send_unsent(&mut self) -> Result<(), Ended> {
        while let Some(send) = self.unsent.front() {
            let headers: Vec<(&str, &str)> =
                send.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let record = Record {
                topic: &send.topic,
                partition: send.partition,
                key: &send.key,
                headers: &headers,
                payload: &send.payload,
            };
            match self.producer.send(record, send.token) {
                Ok(()) => {
                    self.unsent.pop_front();
                }
                Err(SendError::QueueFull) => break,
                Err(SendError::TooLarge(error)) => {
                    self.core.handle_too_large(send.token);
                    return self.rewind(&error.to_string());
                }
                Err(error) => return self.rewind(&error.to_string()),
            }
        }
        Ok(())
    }

    /// Takes in acknowledgements; after a failed delivery begins again at the acknowledged prefix.
    fn settle(&mut self, wait: Duration) -> Result<(), Ended> {
        let mut deliveries = std::mem::take(&mut self.deliveries);
        self.producer.poll(wait, &mut deliveries);
        let mut failure = None;
        for delivery in deliveries.drain(..) {
            match delivery.result {
                Ok(_) => {
                    self.core.handle_acknowledged(delivery.token);
                    self.backoff = FIRST_BACKOFF;
                }
                Err(_) if delivery.token == TELEMETRY => {}
                Err(error) => {
                    if error.too_large {
                        self.core.handle_too_large(delivery.token);
                    }
                    failure.get_or_insert(error);
                }
            }
        }
        self.deliveries = deliveries;
        failure.map_or(Ok(()), |error| self.rewind(&error.to_string()))
    }

    /// Discards what is in flight and reads again from the acknowledged prefix.
    fn rewind(&mut self, why: &str) -> Result<(), Ended> {
        let topic = Arc::clone(&self.core.plan().topic);
        tracing::warn!(%topic, "{why}; beginning again at the acknowledged prefix");
        self.meters.rewinds.increment(1);
        self.unsent.clear();
        self.producer = producer(&self.core, &self.settings)?;
        self.back_off();
        let from = self.core.rewind();
        match self.consumer.seek(&from) {
            Ok(()) => Ok(()),
            // A partition may have gone in between; then its place is unknown here.
            Err(error) => self.rejoin(&error.to_string()),
        }
    }

    /// Begins anew as another member of the group, at the committed offsets.
    fn rejoin(&mut self, why: &str) -> Result<(), Ended> {
        let topic = Arc::clone(&self.core.plan().topic);
        tracing::warn!(%topic, "{why}; joining the group again");
        self.commit(StageConsumer::commit_and_wait);
        self.unsent.clear();
        self.core.reset();
        self.paused = false;
        self.consumer = consumer(&self.core, &self.settings)?;
        Ok(())
    }

    fn back_off(&mut self) {
        let until = Instant::now() + self.backoff;
        self.backoff = (self.backoff * 2).min(LONGEST_BACKOFF);
        while Instant::now() < until && !self.stop.load(Ordering::Relaxed) {
            std::thread::park_timeout(IDLE_WAIT);
        }
    }

    /// Polls the consumer without taking messages while there is no budget for long.
    fn keep_membership(&mut self) -> Result<(), Ended> {
        let since = *self.blocked_since.get_or_insert_with(Instant::now);
        if since.elapsed() < PAUSE_AFTER {
            return Ok(());
        }
        if !self.paused {
            self.paused = self.consumer.pause(&self.core.partitions()).is_ok();
        }
        match self.consumer.poll(Duration::ZERO) {
            Some(polled) => self.handle(polled),
            None => Ok(()),
        }
    }

    fn unblock(&mut self) {
        self.blocked_since = None;
        if self.paused {
            self.paused = false;
            if let Err(error) = self.consumer.resume(&self.core.partitions()) {
                // Those that went need no resuming, and the others are tried one by one.
                tracing::debug!("{error}");
                for partition in self.core.partitions() {
                    let _ = self.consumer.resume(&[partition]);
                }
            }
        }
    }

    fn commit(&mut self, how: impl Fn(&StageConsumer, &[(i32, i64)]) -> Result<(), KafkaError>) {
        self.committed_at = Instant::now();
        let commits = self.core.take_commits();
        match how(&self.consumer, &commits) {
            Ok(()) => self.meters.committed(&commits),
            // What is not committed is done again by the next reader; the reader of `out` drops the copies.
            Err(error) => tracing::warn!(topic = %self.core.plan().topic, "{error}"),
        }
    }

    /// Delivers what is in flight, in time, and commits what was acknowledged.
    fn drain(&mut self) {
        if self.unsent.is_empty() && !self.producer.flush(self.settings.stop_grace) {
            tracing::warn!(topic = %self.core.plan().topic, "not everything was acknowledged in time");
        }
        let mut deliveries = Vec::new();
        self.producer.poll(Duration::ZERO, &mut deliveries);
        for delivery in deliveries {
            if delivery.result.is_ok() {
                self.core.handle_acknowledged(delivery.token);
            }
        }
        self.commit(StageConsumer::commit_and_wait);
    }
}
