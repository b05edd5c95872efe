//! Errors that name the setting and the place.

use rdkafka::error::{KafkaError as Rd, RDKafkaErrorCode as Code};
use thiserror::Error;

/// The setting that says where the brokers are.
pub(crate) const BOOTSTRAP: &str = "kafka.bootstrap.servers";

/// What went wrong between a service and Kafka or the registry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KafkaError {
    /// Nobody answers at a place.
    #[error("{setting} = {place}: {what}")]
    Unreachable {
        /// The setting that names the place.
        setting: &'static str,
        /// The place, as set.
        place: String,
        /// What happened.
        what: String,
    },
    /// A setting that cannot be meant.
    #[error("{setting}: {what}")]
    Config {
        /// The setting.
        setting: String,
        /// What is wrong with it.
        what: String,
    },
    /// A topic, or a partition of it, that is not there.
    #[error("{what} (at {BOOTSTRAP} = {place}); `sluice init` and `sluice deploy` create topics")]
    MissingTopic {
        /// What is missing.
        what: String,
        /// The brokers asked.
        place: String,
    },
    /// Everything else.
    #[error("{0}")]
    Other(String),
}

impl KafkaError {
    /// The exit code of a process that ends for this reason (DESIGN section 8).
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config { .. } => 64,
            Self::Unreachable { .. } | Self::MissingTopic { .. } => 69,
            Self::Other(_) => 70,
        }
    }

    pub(crate) fn unreachable(place: &str, what: impl Into<String>) -> Self {
        Self::Unreachable { setting: BOOTSTRAP, place: place.to_owned(), what: what.into() }
    }

    pub(crate) fn missing(place: &str, what: impl Into<String>) -> Self {
        Self::MissingTopic { what: what.into(), place: place.to_owned() }
    }

    /// The error of an operation on `subject`; `trouble` is what the client last reported of its connections.
    pub(crate) fn of(place: &str, subject: &str, error: &Rd, trouble: Option<String>) -> Self {
        match error.rdkafka_error_code() {
            Some(code) if is_missing(code) => {
                Self::missing(place, format!("{subject}: {}", plain(code)))
            }
            Some(code) if is_connection(code) => Self::unreachable(
                place,
                trouble.unwrap_or_else(|| format!("{subject}: {}", plain(code))),
            ),
            Some(code) => Self::Other(format!("{subject}: {}", plain(code))),
            None => Self::Other(format!("{subject}: {error}")),
        }
    }

    /// The error of a client that could not be made: all of them are properties that do not fit.
    pub(crate) fn of_config(error: &Rd) -> Self {
        match error {
            Rd::ClientConfig(_, what, name, value) => Self::Config {
                setting: format!("kafka.{name}"),
                what: format!("`{value}`: {}", what.trim()),
            },
            other => Self::Config { setting: "[kafka]".to_owned(), what: other.to_string() },
        }
    }
}

/// Whether the broker says that there is no such topic or partition.
pub(crate) fn is_missing(code: Code) -> bool {
    matches!(code, Code::UnknownTopic | Code::UnknownPartition | Code::UnknownTopicOrPartition)
}

/// Whether the broker says that leaders are just being chosen, as after the creation of a topic or the loss of a broker:
/// the same question has an answer a moment later.
pub(crate) fn is_settling(code: Code) -> bool {
    matches!(
        code,
        Code::NotLeaderForPartition
            | Code::LeaderNotAvailable
            | Code::ReplicaNotAvailable
            | Code::FencedLeaderEpoch
            | Code::UnknownLeaderEpoch
    )
}

/// Whether the trouble is with the connection, not with what was asked.
pub(crate) fn is_connection(code: Code) -> bool {
    matches!(
        code,
        Code::BrokerTransportFailure
            | Code::AllBrokersDown
            | Code::Resolve
            | Code::OperationTimedOut
            | Code::RequestTimedOut
            | Code::MessageTimedOut
            | Code::Authentication
            | Code::SaslAuthenticationFailed
            | Code::SSL
    )
}

/// An error code in words.
pub(crate) fn plain(code: Code) -> String {
    match code {
        Code::UnknownTopic | Code::UnknownTopicOrPartition => {
            "no such topic or partition".to_owned()
        }
        Code::UnknownPartition => "no such partition".to_owned(),
        Code::OperationTimedOut | Code::RequestTimedOut => "no answer in time".to_owned(),
        Code::MessageTimedOut => "no acknowledgement in time".to_owned(),
        // `Name (Local: Description)`
        other => {
            let text = other.to_string();
            let inner = text.split_once(" (").and_then(|(_, inner)| inner.strip_suffix(')'));
            inner.map_or_else(|| text.clone(), str::to_owned)
        }
    }
}
