//! What a controller writes: commands and decisions. Nobody waits for one of them alone.

use std::collections::HashMap;
use std::time::Duration;

use sluice_kafka::{Delivery, FrameProducer, KafkaError, Properties, Record};
use sluice_model::DeviceKey;
use tokio::sync::oneshot;

/// An answer for who asked for a command: the partition where it stands and its epoch, or why it does not.
pub type Answer = oneshot::Sender<Result<(i32, i64), String>>;

/// A message with the partition and offset where it stands, or why it does not.
pub type Settled = (Sent, Result<(i32, i64), String>);

/// What a message belongs to.
#[derive(Debug)]
pub enum Sent {
    /// The command of a ruling, by its number.
    Ruling(u64),
    /// A person's command.
    Order(Answer),
    /// A decision about a device.
    Decision(DeviceKey),
}

/// Sends messages, and says what became of them.
pub struct Outbox {
    producer: FrameProducer,
    properties: Properties,
    outstanding: HashMap<u64, Sent>,
    next_token: u64,
}

impl Outbox {
    /// A producer; it connects by itself.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn new(properties: &Properties) -> Result<Self, KafkaError> {
        let mut properties = properties.clone();
        // A command that waited for the broker for long is not what is wanted any more.
        for (name, value) in [("message.timeout.ms", "15000"), ("linger.ms", "2")] {
            properties.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        let producer = FrameProducer::new(&properties, "sluice-controller")?;
        Ok(Self { producer, properties, outstanding: HashMap::new(), next_token: 0 })
    }

    /// Sends a message. What could not even be queued comes back with the reason.
    ///
    /// # Errors
    /// What it was, and why.
    pub fn send(
        &mut self,
        topic: &str,
        partition: i32,
        key: &str,
        payload: &[u8],
        sent: Sent,
    ) -> Result<(), (Sent, String)> {
        let record = Record { topic, partition, key, headers: &[], payload };
        match self.producer.send(record, self.next_token) {
            Ok(()) => {
                self.outstanding.insert(self.next_token, sent);
                self.next_token += 1;
                Ok(())
            }
            Err(error) => Err((sent, format!("topic {topic}: {error}"))),
        }
    }

    /// What became of messages since the last call.
    pub fn poll(&mut self) -> Vec<Settled> {
        let mut deliveries: Vec<Delivery> = Vec::new();
        self.producer.poll(Duration::ZERO, &mut deliveries);
        let mut fatal = false;
        let settled = deliveries.into_iter().filter_map(|delivery| {
            let sent = self.outstanding.remove(&delivery.token)?;
            let result = delivery.result.map(|placed| (placed.partition, placed.offset));
            fatal |= result.as_ref().is_err_and(|error| error.fatal);
            Some((sent, result.map_err(|error| error.to_string())))
        });
        let mut settled: Vec<_> = settled.collect();
        if fatal && let Ok(producer) = FrameProducer::new(&self.properties, "sluice-controller") {
            self.producer = producer;
            let lost = self.outstanding.drain().map(|(_, sent)| sent);
            settled.extend(lost.map(|sent| (sent, Err("the producer failed".to_owned()))));
        }
        settled
    }
}
