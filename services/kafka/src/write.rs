//! Single messages whose acknowledgement is waited for: commands, statuses, deployed queries.

use std::time::Duration;

use crate::producer::{DeliveryError, FrameProducer, Placed, Record, SendError};
use crate::{KafkaError, Properties, client};

/// How long [`produce_one`] waits for its acknowledgement.
const ONE_TIMEOUT: Duration = Duration::from_secs(10);

/// The producer answers within its own timeout; this is for its thread to say so.
const GRACE: Duration = Duration::from_secs(5);

/// A small producer of single messages. A retry may write one twice.
#[derive(Debug)]
pub struct Writer {
    producer: FrameProducer,
    place: String,
    timeout: Duration,
}

impl Writer {
    /// A writer whose messages are acknowledged within `timeout` or fail; it connects by itself.
    ///
    /// # Errors
    /// [`KafkaError::Config`] for a property that does not fit.
    pub fn new(
        properties: &Properties,
        client_id: &str,
        timeout: Duration,
    ) -> Result<Self, KafkaError> {
        Ok(Self {
            producer: FrameProducer::with_timeout(properties, client_id, timeout)?,
            place: client::place(properties).to_owned(),
            timeout,
        })
    }

    /// Writes a message and waits for its acknowledgement. Without a partition the key decides; without a value the
    /// message deletes its key from a compacted topic.
    ///
    /// # Errors
    /// Why there is no acknowledgement. The message may have been written all the same if that is a timeout.
    pub fn write(
        &mut self,
        topic: &str,
        partition: Option<i32>,
        key: &str,
        value: Option<&[u8]>,
    ) -> Result<Placed, KafkaError> {
        let record = Record {
            topic,
            partition: partition.unwrap_or(-1),
            key,
            headers: &[],
            payload: value.unwrap_or_default(),
        };
        self.producer.queue(record, partition, value.is_some(), 0).map_err(
            |error| match error {
                SendError::Refused(error) | SendError::TooLarge(error) => error,
                other => KafkaError::Other(format!("topic `{topic}`: {other}")),
            },
        )?;
        let mut deliveries = Vec::new();
        self.producer.poll(self.timeout + GRACE, &mut deliveries);
        match deliveries.pop().map(|delivery| delivery.result) {
            Some(Ok(placed)) => Ok(placed),
            Some(Err(DeliveryError { kind, .. })) => Err(kind),
            None => Err(KafkaError::unreachable(
                &self.place,
                format!("topic `{topic}`: no acknowledgement in time"),
            )),
        }
    }
}

/// Writes one message with a producer of its own and waits for the acknowledgement, at most ten seconds.
///
/// # Errors
/// Why there is no acknowledgement.
pub fn produce_one(
    properties: &Properties,
    topic: &str,
    partition: Option<i32>,
    key: &str,
    value: Option<&[u8]>,
) -> Result<Placed, KafkaError> {
    Writer::new(properties, "sluice-write", ONE_TIMEOUT)?.write(topic, partition, key, value)
}
