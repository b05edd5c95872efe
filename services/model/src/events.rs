//! Copies of events that left the data path: `<query>.dead` and `<query>.late`.

use serde::{Deserialize, Serialize};

/// How much of an event or message a copy keeps, bytes.
pub const HEAD_BYTES: usize = 1024;

/// The value of a record of `<query>.dead` (schemas/DeadEvent.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadEvent {
    /// The input.
    pub input: String,
    /// The device; empty when it is not known.
    pub device: String,
    /// The incarnation that numbered the event.
    pub incarnation: Option<i64>,
    /// The event's number.
    pub seq: Option<i64>,
    /// Its event time, epoch milliseconds.
    pub time: Option<i64>,
    /// The operator that could not pass it on; empty when the message is no frame.
    pub operator: String,
    /// Why.
    pub reason: String,
    /// Where a message that is no frame was read.
    pub topic: Option<String>,
    /// See `topic`.
    pub partition: Option<i32>,
    /// See `topic`.
    pub offset: Option<i64>,
    /// The schema of the bytes, if known.
    pub schema_id: Option<i32>,
    /// The first [`HEAD_BYTES`] of the bytes.
    #[serde(with = "serde_bytes")]
    pub head: Vec<u8>,
    /// The size of the whole, bytes.
    pub size: i64,
    /// CRC-32 of the whole.
    pub crc32: i64,
}

impl DeadEvent {
    /// A copy of which nothing is known but its bytes.
    #[must_use]
    pub fn copy_of(bytes: &[u8]) -> Self {
        Self {
            input: String::new(),
            device: String::new(),
            incarnation: None,
            seq: None,
            time: None,
            operator: String::new(),
            reason: String::new(),
            topic: None,
            partition: None,
            offset: None,
            schema_id: None,
            head: bytes[..bytes.len().min(HEAD_BYTES)].to_vec(),
            size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            crc32: i64::from(crc32fast::hash(bytes)),
        }
    }
}

/// The value of a record of `<query>.late` (schemas/LateEvent.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateEvent {
    /// The input.
    pub input: String,
    /// The device.
    pub device: String,
    /// The incarnation that numbered the event.
    pub incarnation: i64,
    /// The event's number.
    pub seq: i64,
    /// Its event time, epoch milliseconds.
    pub time: Option<i64>,
    /// The watermark that had been emitted, epoch milliseconds.
    pub watermark: i64,
    /// Why it is here.
    pub reason: String,
    /// The schema of the bytes, if known.
    pub schema_id: Option<i32>,
    /// The first [`HEAD_BYTES`] of the bytes.
    #[serde(with = "serde_bytes")]
    pub head: Vec<u8>,
    /// The size of the whole, bytes.
    pub size: i64,
    /// CRC-32 of the whole.
    pub crc32: i64,
}
