//! Kafka and the schema registry, as Sluice uses them: the only crate that knows rdkafka and the registry client.
//!
//! Data goes through blocking calls on plain threads, control rows through a channel. Whatever goes wrong becomes one
//! text that names the setting and the place.

mod admin;
mod client;
mod consumer;
mod error;
mod follow;
mod message;
mod probe;
mod producer;
mod read;
mod registry;
mod topics;
mod trouble;
mod write;

use std::collections::BTreeMap;

pub use admin::{Ensured, TopicSpec, end_offsets, ensure_topics, exists, lag, partitions};
pub use consumer::{Polled, StageConsumer};
pub use error::KafkaError;
pub use follow::{Followed, Follower, Row};
pub use message::Message;
pub use probe::{explain_unreachable, probe};
pub use producer::{
    Delivery, DeliveryError, FrameProducer, Placed, ProducerStats, Record, SendError,
};
pub use read::{Offsets, Start, read, read_to_end, tail};
pub use registry::Registry;
pub use topics::{delete_topics, topic_names};
pub use write::{Writer, produce_one};

/// The section `[kafka]` of a configuration, verbatim: properties of librdkafka by name.
pub type Properties = BTreeMap<String, String>;
