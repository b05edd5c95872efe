//! What a read returns: many records in one reusable buffer.

use crate::Index;
use crate::block::{Record, record_at};

/// A contiguous range of records, copied out of the spool. Reusing one batch keeps its buffers.
#[derive(Debug, Default)]
pub struct Batch {
    first: Index,
    bytes: Vec<u8>,
    records: Vec<Record>,
    value_bytes: usize,
}

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Batch {
        Batch::default()
    }

    /// How many records it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The index of the first record (where the read began, if it holds none).
    #[must_use]
    pub fn first(&self) -> Index {
        self.first
    }

    /// The index behind the last record: where the next read begins.
    #[must_use]
    pub fn end(&self) -> Index {
        self.first.plus(self.records.len() as u64)
    }

    /// Length of all values together in bytes.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// The value of the record `at` places behind the first; panics outside the batch.
    #[must_use]
    pub fn value(&self, at: usize) -> &[u8] {
        let record = &self.records[at];
        &self.bytes[record.start..record.end]
    }

    /// When the record `at` places behind the first was accepted, in ms since the epoch; panics outside the batch.
    #[must_use]
    pub fn accepted_at_ms(&self, at: usize) -> i64 {
        self.records[at].accepted_at_ms
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.records.iter().map(|record| &self.bytes[record.start..record.end])
    }

    /// Empties the batch for a read from `first` on.
    pub(crate) fn restart(&mut self, first: Index) {
        self.first = first;
        self.bytes.clear();
        self.records.clear();
        self.value_bytes = 0;
    }

    /// Takes records from `body`, beginning at `offset`, up to the limits, but at least one into an empty batch.
    /// Returns the offset behind the last one taken.
    pub(crate) fn take(&mut self, body: &[u8], offset: usize, limits: &Limits) -> usize {
        let base = self.bytes.len();
        let mut end = offset;
        while self.records.len() < limits.records
            && let Some(record) = record_at(body, end)
        {
            let value_bytes = self.value_bytes + (record.end - record.start);
            if value_bytes > limits.bytes && !self.records.is_empty() {
                break;
            }
            self.value_bytes = value_bytes;
            end = record.end;
            let moved = |at: usize| at - offset + base;
            self.records.push(Record {
                start: moved(record.start),
                end: moved(record.end),
                ..record
            });
        }
        self.bytes.extend_from_slice(&body[offset..end]);
        end
    }
}

/// Where a read stops.
pub(crate) struct Limits {
    pub records: usize,
    pub bytes: usize,
}
