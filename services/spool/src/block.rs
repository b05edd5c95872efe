//! Blocks: the unit that is written, checked and read back. A block is a header and a chain of records.
//!
//! ```text
//! header   magic u32 | body bytes u32 | first index u64 | records u32 | unsynced u32 | body crc32 | header crc32
//! record   value bytes u32 | accepted at, ms since the epoch, i64 | value
//! ```
//! All numbers are little-endian. `unsynced` is how many records before the block's first one were not durable yet
//! when the block was written. It tells a torn tail from later damage: what a valid later block calls durable
//! cannot be torn.

use crate::Index;

/// Length of a block's header in bytes.
pub(crate) const HEADER_BYTES: usize = 32;
/// Length of a record without its value in bytes.
pub(crate) const RECORD_BYTES: usize = 12;
/// The first bytes of a block; the digit is the version of the format.
pub(crate) const MAGIC: [u8; 4] = *b"SLB1";

/// A block in memory.
#[derive(Debug)]
pub(crate) struct Block {
    pub first: Index,
    pub count: u32,
    body: Vec<u8>,
}

impl Block {
    /// A block without records, whose first one will be `first`.
    pub fn new(first: Index) -> Block {
        Block { first, count: 0, body: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The index behind the last record.
    pub fn end(&self) -> Index {
        self.first.plus(u64::from(self.count))
    }

    /// Length on disk, with the header, in bytes; 0 without records.
    pub fn len(&self) -> u64 {
        if self.is_empty() { 0 } else { (HEADER_BYTES + self.body.len()) as u64 }
    }

    /// Memory held in bytes.
    pub fn held_bytes(&self) -> usize {
        self.body.capacity() + size_of::<Block>()
    }

    /// Appends a record; its value is below 4 GiB (the spool's limit on values is far lower).
    pub fn push(&mut self, value: &[u8], accepted_at_ms: i64) {
        self.body.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.body.extend_from_slice(&accepted_at_ms.to_le_bytes());
        self.body.extend_from_slice(value);
        self.count += 1;
    }

    /// Forgets all records and goes on behind them with the same memory.
    pub fn restart(&mut self) {
        self.first = self.end();
        self.count = 0;
        self.body.clear();
    }

    /// Gives back memory that no record uses: nothing more is pushed.
    pub fn close(mut self) -> Block {
        self.body.shrink_to_fit();
        self
    }

    /// The header to write before the body; `durable` is the durable index at this moment.
    pub fn header(&self, durable: Index) -> [u8; HEADER_BYTES] {
        let header = Header {
            body_bytes: self.body.len() as u32,
            first: self.first,
            count: self.count,
            unsynced: self.first.since(durable) as u32,
            body_crc: crc32fast::hash(&self.body),
        };
        header.encode()
    }

    /// The records.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// The decoded header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub body_bytes: u32,
    pub first: Index,
    pub count: u32,
    pub unsynced: u32,
    pub body_crc: u32,
}

impl Header {
    /// Decodes a header; `None` if the bytes are none.
    pub fn decode(bytes: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER_BYTES] = bytes.get(..HEADER_BYTES)?.try_into().ok()?;
        let u32_at = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        if bytes[..4] != MAGIC || u32_at(28) != crc32fast::hash(&bytes[..28]) {
            return None;
        }
        Some(Header {
            body_bytes: u32_at(4),
            first: Index(u64::from(u32_at(8)) | u64::from(u32_at(12)) << 32),
            count: u32_at(16),
            unsynced: u32_at(20),
            body_crc: u32_at(24),
        })
    }

    fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.body_bytes.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.count.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.unsynced.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.body_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The index behind the last record.
    pub fn end(&self) -> Index {
        self.first.plus(u64::from(self.count))
    }

    /// Whether the block holds the record.
    pub fn contains(&self, index: Index) -> bool {
        (self.first..self.end()).contains(&index)
    }

    /// Everything below was durable when the block was written.
    pub fn durable_before(&self) -> Index {
        Index(self.first.0.saturating_sub(u64::from(self.unsynced)))
    }

    /// Length of header and body in bytes.
    pub fn block_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + u64::from(self.body_bytes)
    }
}

/// A record inside a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub accepted_at_ms: i64,
    /// Where the value begins in the body.
    pub start: usize,
    /// Where it ends, and the next record begins.
    pub end: usize,
}

/// The record at `offset` of a body; `None` if there is none.
pub(crate) fn record_at(body: &[u8], offset: usize) -> Option<Record> {
    let start = offset.checked_add(RECORD_BYTES)?;
    let head = body.get(offset..start)?;
    let (bytes, accepted_at) = head.split_at(4);
    let bytes = u32::from_le_bytes(bytes.try_into().ok()?) as usize;
    let end = start.checked_add(bytes)?;
    let accepted_at_ms = i64::from_le_bytes(accepted_at.try_into().ok()?);
    (end <= body.len()).then_some(Record { accepted_at_ms, start, end })
}

/// Space that a record with a value of `value_bytes` takes in a segment, alone in its block.
pub(crate) fn alone_bytes(value_bytes: usize) -> u64 {
    (HEADER_BYTES + RECORD_BYTES + value_bytes) as u64
}

/// The largest value whose block fits a segment of `segment_bytes`.
pub(crate) fn max_value_bytes(segment_bytes: u64) -> usize {
    let fits = segment_bytes.saturating_sub(alone_bytes(0));
    usize::try_from(fits).map_or(crate::MAX_VALUE_BYTES, |fits| fits.min(crate::MAX_VALUE_BYTES))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_block_reads_back(
            first in 0..u64::MAX / 2,
            unsynced in 0..1000_u64,
            records in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..50), any::<i64>()), 1..20),
        ) {
            let first = Index(first.max(unsynced));
            let mut block = Block::new(first);
            for (value, at) in &records {
                block.push(value, *at);
            }
            let header = Header::decode(&block.header(Index(first.0 - unsynced))).expect("a header");
            prop_assert_eq!(header.first, first);
            prop_assert_eq!(header.end(), block.end());
            prop_assert_eq!(header.durable_before(), Index(first.0 - unsynced));
            prop_assert_eq!(header.block_bytes(), block.len());
            prop_assert_eq!(header.body_crc, crc32fast::hash(block.body()));
            let mut offset = 0;
            for (value, at) in &records {
                let record = record_at(block.body(), offset).expect("a record");
                prop_assert_eq!(&block.body()[record.start..record.end], value.as_slice());
                prop_assert_eq!(record.accepted_at_ms, *at);
                offset = record.end;
            }
            prop_assert_eq!(record_at(block.body(), offset), None);
        }

        #[test]
        fn a_changed_header_is_none(at in 0..HEADER_BYTES, flip in 1..=255_u8) {
            let mut block = Block::new(Index(7));
            block.push(b"value", 1);
            let mut bytes = block.header(Index(7));
            bytes[at] ^= flip;
            prop_assert_eq!(Header::decode(&bytes), None);
        }
    }

    #[test]
    fn the_largest_value_fills_a_segment() {
        assert_eq!(alone_bytes(max_value_bytes(1000)), 1000);
        assert_eq!(max_value_bytes(1 << 40), crate::MAX_VALUE_BYTES);
        assert_eq!(max_value_bytes(3), 0);
    }
}
