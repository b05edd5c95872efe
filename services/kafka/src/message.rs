//! A message as it was read.

use rdkafka::Message as _;
use rdkafka::message::{BorrowedMessage, Headers};

/// A message as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// The broker's or the producer's time, as the topic is set, epoch milliseconds; 0 when it has none.
    pub timestamp_ms: i64,
    /// Its key; what is no UTF-8 in it is replaced.
    pub key: Option<String>,
    /// Its headers with a value; what is no UTF-8 in them is replaced.
    pub headers: Vec<(String, String)>,
    /// Its value.
    pub payload: Option<Vec<u8>>,
}

impl Message {
    pub(crate) fn take(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().map_or_else(Vec::new, |headers| {
            let text = |value| String::from_utf8_lossy(value).into_owned();
            headers.iter().filter_map(|h| Some((h.key.to_owned(), text(h.value?)))).collect()
        });
        Self {
            partition: message.partition(),
            offset: message.offset(),
            timestamp_ms: message.timestamp().to_millis().unwrap_or(0),
            key: message.key().map(|key| String::from_utf8_lossy(key).into_owned()),
            headers,
            payload: message.payload().map(<[u8]>::to_vec),
        }
    }
}
