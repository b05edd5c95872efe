//! The producer of an input, what is outstanding with it, and its replacement after a failure.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use sluice_kafka::{Delivery, FrameProducer, Properties, Record};
use sluice_model::{DeadEvent, DeployedQuery, DeviceKey, DeviceStatus, Telemetry, topics};
use sluice_wire::record::{self, ControlRecord};
use sluice_wire::{FrameHeader, range_headers};

use crate::deployment::Deployment;
use crate::machine::Token;

/// The pause after the first failure in a row; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often the same trouble is logged.
const LOG_AGAIN: Duration = Duration::from_secs(10);

/// What a message belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// A frame, or a dead event of it.
    Frame(Token),
    /// The hello of this start.
    Hello,
    /// A heartbeat.
    Heartbeat,
    /// The leave of this device.
    Leave,
    /// A status.
    Status,
    /// Counters for the controller: the next ones make up for lost ones.
    Telemetry,
    /// What nobody waits for.
    Other,
}

/// Sends messages, and knows which are outstanding.
pub struct Outbox {
    properties: Properties,
    client_id: String,
    key: DeviceKey,
    partition: i32,
    query: DeployedQuery,
    producer: FrameProducer,
    outstanding: HashMap<u64, Sent>,
    next_token: u64,
    sent_bytes_before: u64,
    pause: Duration,
    resume_at: Option<Instant>,
    trouble: Option<(String, Instant)>,
    /// A message that the producer did not take: the next turn discards it.
    refusal: Option<String>,
}

impl Outbox {
    pub fn new(
        properties: &Properties,
        key: &DeviceKey,
        deployment: &Deployment,
    ) -> anyhow::Result<Self> {
        let client_id = format!("sluice-edge-{}", key.device);
        Ok(Self {
            producer: FrameProducer::new(properties, &client_id)?,
            properties: properties.clone(),
            client_id,
            key: key.clone(),
            partition: deployment.entry.partition,
            query: deployment.query.clone(),
            outstanding: HashMap::new(),
            next_token: 0,
            sent_bytes_before: 0,
            pause: FIRST_PAUSE,
            resume_at: None,
            trouble: None,
            refusal: None,
        })
    }

    /// Whether no message of this kind is outstanding: signs of life do not pile up while the link is down.
    pub fn is_free(&self, kind: Sent) -> bool {
        !self.outstanding.values().any(|sent| *sent == kind)
    }

    /// Whether a failure is too recent to send frames again.
    pub fn is_backing_off(&self) -> bool {
        self.resume_at.is_some_and(|at| Instant::now() < at)
    }

    /// The last failure, while it lasts.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.as_ref().map(|(text, _)| text.clone())
    }

    /// Bytes sent to the broker so far, by all producers.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes_before + self.producer.stats().sent_bytes
    }

    /// Whether messages are compressed.
    pub fn is_packed(&self) -> bool {
        let set = ["compression.codec", "compression.type"].map(|name| self.properties.get(name));
        !set.into_iter().flatten().any(|codec| codec == "none")
    }

    /// The quickest round trip to a broker in the last second.
    pub fn rtt(&self) -> Option<Duration> {
        self.producer.stats().rtt
    }

    /// The broker acknowledged something: failures are over.
    pub fn note_reached(&mut self) {
        self.pause = FIRST_PAUSE;
        self.resume_at = None;
        if self.trouble.take().is_some() {
            tracing::info!(input = %self.key, "the broker acknowledges again");
        }
    }

    pub fn poll(&mut self, timeout: Duration, deliveries: &mut Vec<Delivery>) {
        self.producer.poll(timeout, deliveries);
    }

    /// Takes a delivered message off the list.
    pub fn settle(&mut self, token: u64) -> Option<Sent> {
        self.outstanding.remove(&token)
    }

    pub fn flush(&self, timeout: Duration) {
        // What is not delivered in time stays in the spool.
        let _ = self.producer.flush(timeout);
    }

    /// Why the producer did not take a message, once.
    pub fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// Says what is wrong with the connection: a patient producer reports no failed delivery.
    pub fn check_connection(&mut self) {
        if !self.outstanding.is_empty()
            && let Some(error) = self.producer.stats().last_error
        {
            self.note_trouble(&error, "events wait in the spool");
        }
    }

    fn note_trouble(&mut self, why: &str, then: &str) {
        let log =
            self.trouble.as_ref().is_none_or(|(text, at)| text != why || at.elapsed() >= LOG_AGAIN);
        if log {
            tracing::warn!(input = %self.key, "{why}; {then}");
            self.trouble = Some((why.to_owned(), Instant::now()));
        }
    }

    /// Puts a new producer in the place of this one.
    pub fn discard(&mut self, why: &str) -> anyhow::Result<()> {
        self.note_trouble(why, "frames are sent again");
        self.sent_bytes_before = self.sent_bytes();
        self.producer = FrameProducer::new(&self.properties, &self.client_id)?;
        self.outstanding.clear();
        self.resume_at = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    pub fn send_frame(
        &mut self,
        topic: &str,
        header: &FrameHeader,
        message: &[u8],
        sent: Sent,
    ) -> anyhow::Result<()> {
        let headers = range_headers(header);
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.send(topic, self.partition, &self.key.device.to_string(), &headers, message, sent)
    }

    pub fn send_dead(&mut self, dead: &DeadEvent, sent: Sent) -> anyhow::Result<()> {
        let message = self.encode(dead)?;
        let topic = topics::dead(&self.key.query);
        self.send(&topic, self.partition, &self.key.device.to_string(), &[], &message, sent)
    }

    pub fn send_status(
        &mut self,
        key: &str,
        status: &DeviceStatus,
        sent: Sent,
    ) -> anyhow::Result<()> {
        let message = self.encode(status)?;
        self.send(topics::STATUS, 0, key, &[], &message, sent)
    }

    /// Sends counters, unless the query was deployed before there were any.
    pub fn send_telemetry(&mut self, key: &str, telemetry: &Telemetry) -> anyhow::Result<()> {
        if self.query.schema_id(Telemetry::NAME).is_none() {
            return Ok(());
        }
        let message = self.encode(telemetry)?;
        self.send(topics::TELEMETRY, 0, key, &[], &message, Sent::Telemetry)
    }

    fn encode<T: ControlRecord>(&self, value: &T) -> anyhow::Result<Vec<u8>> {
        let id = self.query.schema_id(T::NAME).ok_or_else(|| {
            anyhow::anyhow!(
                "query {} was deployed without the schema id of {}",
                self.query.query,
                T::NAME
            )
        })?;
        Ok(record::encode(id, value)?)
    }

    fn send(
        &mut self,
        topic: &str,
        partition: i32,
        key: &str,
        headers: &[(&str, &str)],
        payload: &[u8],
        sent: Sent,
    ) -> anyhow::Result<()> {
        let token = self.next_token;
        self.next_token += 1;
        self.outstanding.insert(token, sent);
        let record = Record { topic, partition, key, headers, payload };
        if let Err(error) = self.producer.send(record, token) {
            if sent == Sent::Telemetry {
                self.outstanding.remove(&token);
                return Ok(());
            }
            self.refusal = Some(format!("topic {topic}: {error}"));
        }
        Ok(())
    }
}
