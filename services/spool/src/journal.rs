//! The journal file: the ledger's entries, each one durable before the call that wrote it returns.
//!
//! ```text
//! file     "SLJ1" | entries | zeros
//! entry    payload bytes u16 | payload crc32 | payload (kind u8, fields)
//! ```
//! The file is allocated ahead with zeros, so that an entry needs no new space: the cursor must get through on a
//! full disk, since it is what frees the space. When half of it is used, it is replaced by a compacted one.

use std::io;

use crate::holes::{HoleKind, SpoolHole};
use crate::ledger::{Entry, Ledger};
use crate::{Disk, DiskFile, Index, SpoolError};

/// Name of the journal in the spool directory.
pub(crate) const NAME: &str = "journal";
const NEW_NAME: &str = "journal.new";
const MAGIC: &[u8; 4] = b"SLJ1";
/// Length of a journal with few runs in bytes.
const LEAST_BYTES: usize = 64 << 10;
/// A nonce is at most this long, in bytes.
const MAX_NONCE_BYTES: usize = 256;
const ENTRY_HEAD_BYTES: usize = 6;
/// Stands in the place of a reason's length where a hole is no gap.
const ACKNOWLEDGED: u16 = u16::MAX;

/// The open journal and what it adds up to.
pub(crate) struct Journal {
    ledger: Ledger,
    file: Box<dyn DiskFile>,
    /// Where the next entry goes.
    used: usize,
    /// Length of the file.
    allocated: usize,
    /// Bytes written since the journal was opened.
    written: u64,
}

impl Journal {
    /// Opens the journal, or creates it if `fresh`: no segment may exist then.
    pub fn open(disk: &dyn Disk, fresh: bool) -> Result<Journal, SpoolError> {
        let file = match disk.open(NAME) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && fresh => {
                let (file, used, allocated) = replace(disk, &Ledger::default(), 0)?;
                return Ok(Journal {
                    ledger: Ledger::default(),
                    file,
                    used,
                    allocated,
                    written: allocated as u64,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SpoolError::damaged(
                    NAME,
                    0,
                    "the journal is missing, but segments are there",
                ));
            }
            Err(error) => return Err(SpoolError::read("open the journal", error)),
        };
        let allocated =
            file.bytes().map_err(|error| SpoolError::read("read the journal", error))?;
        let mut bytes = vec![0; usize::try_from(allocated).unwrap_or(usize::MAX)];
        let read = file
            .read_at(&mut bytes, 0)
            .map_err(|error| SpoolError::read("read the journal", error))?;
        bytes.truncate(read);
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(SpoolError::damaged(NAME, 0, "not a journal of this version"));
        }
        let (ledger, used) = decode_all(&bytes)?;
        // Makes durable what the last process may have written and not synced. A torn entry is overwritten by the
        // next one; no entry ever stands behind what is left of it.
        file.sync().map_err(|error| SpoolError::sync("the journal", &error))?;
        Ok(Journal { ledger, file, used, allocated: bytes.len(), written: 0 })
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Bytes written since the last call.
    pub fn take_written(&mut self) -> u64 {
        std::mem::take(&mut self.written)
    }

    /// Stores an entry; it is durable when this returns.
    pub fn append(&mut self, disk: &dyn Disk, entry: Entry) -> Result<(), SpoolError> {
        let bytes = encode(&entry)?;
        if self.used + bytes.len() > self.allocated / 2 {
            match self.compact(disk, bytes.len()) {
                Err(SpoolError::DiskFull { .. }) if self.used + bytes.len() <= self.allocated => {}
                compacted => compacted?,
            }
        }
        let written = self.file.write_at(&bytes, self.used as u64);
        written.map_err(|error| SpoolError::write("write the journal", &error))?;
        self.file.sync().map_err(|error| SpoolError::sync("the journal", &error))?;
        self.used += bytes.len();
        self.written += bytes.len() as u64;
        self.ledger.apply(entry);
        Ok(())
    }

    /// Replaces the journal by one that has room for more entries, first one of `next_bytes`.
    fn compact(&mut self, disk: &dyn Disk, next_bytes: usize) -> Result<(), SpoolError> {
        let mut ledger = self.ledger.clone();
        ledger.prune();
        let (file, used, allocated) = replace(disk, &ledger, next_bytes)?;
        self.written += allocated as u64;
        (self.ledger, self.file, self.used, self.allocated) = (ledger, file, used, allocated);
        Ok(())
    }
}

/// Writes the ledger to a new journal, which takes the place of the old one in one step.
fn replace(
    disk: &dyn Disk,
    ledger: &Ledger,
    next_bytes: usize,
) -> Result<(Box<dyn DiskFile>, usize, usize), SpoolError> {
    let mut bytes = MAGIC.to_vec();
    for entry in ledger.entries() {
        bytes.extend(encode(&entry)?);
    }
    let used = bytes.len();
    bytes.resize(LEAST_BYTES.max(4 * (used + next_bytes)), 0);
    let write = |error: io::Error| SpoolError::write("write a new journal", &error);
    let file = disk.create(NEW_NAME).map_err(write)?;
    file.write_at(&bytes, 0).map_err(write)?;
    file.sync().map_err(|error| SpoolError::sync("the new journal", &error))?;
    disk.rename(NEW_NAME, NAME).map_err(write)?;
    disk.sync_names().map_err(|error| SpoolError::sync("the spool directory", &error))?;
    Ok((file, used, bytes.len()))
}

fn encode(entry: &Entry) -> Result<Vec<u8>, SpoolError> {
    let mut payload = Vec::new();
    match entry {
        Entry::Start { first, started_at_ms, nonce } => {
            if nonce.len() > MAX_NONCE_BYTES {
                return Err(SpoolError::Misuse("a nonce is at most 256 bytes long"));
            }
            payload.push(1);
            payload.extend(first.0.to_le_bytes());
            payload.extend(started_at_ms.to_le_bytes());
            payload.extend(nonce.as_bytes());
        }
        Entry::Number { incarnation } => {
            payload.push(2);
            payload.extend(incarnation.to_le_bytes());
        }
        Entry::Cursor { to, durable } => {
            payload.push(3);
            payload.extend(to.0.to_le_bytes());
            payload.extend(durable.0.to_le_bytes());
        }
        Entry::Holes(holes) => {
            payload.push(4);
            for hole in holes {
                payload.extend(hole.first.0.to_le_bytes());
                payload.extend(hole.end.0.to_le_bytes());
                match &hole.kind {
                    HoleKind::Acknowledged => payload.extend(ACKNOWLEDGED.to_le_bytes()),
                    HoleKind::Gap(reason) => {
                        payload.extend((reason.len() as u16).to_le_bytes());
                        payload.extend(reason.as_bytes());
                    }
                }
            }
        }
        Entry::Reserve { to } => {
            payload.push(5);
            payload.extend(to.0.to_le_bytes());
        }
    }
    let mut bytes = (payload.len() as u16).to_le_bytes().to_vec();
    bytes.extend(crc32fast::hash(&payload).to_le_bytes());
    bytes.extend(payload);
    Ok(bytes)
}

/// The entry at the beginning of `bytes` and its length; `None` if there is none.
fn decode(bytes: &[u8]) -> Option<(Entry, usize)> {
    let (head, rest) = bytes.split_at_checked(ENTRY_HEAD_BYTES)?;
    let (payload_bytes, crc) = head.split_at(2);
    let payload = rest.get(..usize::from(u16::from_le_bytes(payload_bytes.try_into().ok()?)))?;
    if crc32fast::hash(payload) != u32::from_le_bytes(crc.try_into().ok()?) {
        return None;
    }
    let u64_at = |at: usize| Some(u64::from_le_bytes(payload.get(at..at + 8)?.try_into().ok()?));
    let entry = match payload.first()? {
        1 => Entry::Start {
            first: Index(u64_at(1)?),
            started_at_ms: u64_at(9)?.cast_signed(),
            nonce: String::from_utf8(payload.get(17..)?.to_vec()).ok()?,
        },
        2 => Entry::Number { incarnation: u64_at(1)?.cast_signed() },
        3 => Entry::Cursor { to: Index(u64_at(1)?), durable: Index(u64_at(9)?) },
        4 => Entry::Holes(decode_holes(&payload[1..])?),
        5 => Entry::Reserve { to: Index(u64_at(1)?) },
        _ => return None,
    };
    Some((entry, ENTRY_HEAD_BYTES + payload.len()))
}

fn decode_holes(mut bytes: &[u8]) -> Option<Vec<SpoolHole>> {
    let mut holes = Vec::new();
    while !bytes.is_empty() {
        let (first, rest) = bytes.split_first_chunk()?;
        let (end, rest) = rest.split_first_chunk()?;
        let (reason_bytes, rest) = rest.split_first_chunk()?;
        let (kind, rest) = match u16::from_le_bytes(*reason_bytes) {
            ACKNOWLEDGED => (HoleKind::Acknowledged, rest),
            length => {
                let (reason, rest) = rest.split_at_checked(usize::from(length))?;
                (HoleKind::Gap(String::from_utf8(reason.to_vec()).ok()?), rest)
            }
        };
        let (first, end) = (Index(u64::from_le_bytes(*first)), Index(u64::from_le_bytes(*end)));
        holes.push(SpoolHole { first, end, kind });
        bytes = rest;
    }
    Some(holes)
}

/// All entries and where they end. What follows is zeros or a torn entry; an entry behind that proves that the
/// unreadable one was durable once, since each is synced before the next is written.
fn decode_all(bytes: &[u8]) -> Result<(Ledger, usize), SpoolError> {
    let mut ledger = Ledger::default();
    let mut used = MAGIC.len();
    while let Some((entry, length)) = decode(&bytes[used..]) {
        ledger.apply(entry);
        used += length;
    }
    match (used + 1..bytes.len()).find(|at| decode(&bytes[*at..]).is_some()) {
        Some(_) => {
            Err(SpoolError::damaged(NAME, used as u64, "an unreadable entry before a good one"))
        }
        None => Ok((ledger, used)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::Start { first: Index(3), started_at_ms: -5, nonce: "a nonce".into() },
            Entry::Number { incarnation: 7 << 40 },
            Entry::Cursor { to: Index(4), durable: Index(u64::MAX) },
            Entry::Reserve { to: Index(70_000) },
            Entry::Holes(vec![
                SpoolHole::gap(&(Index(5)..Index(7)), "dropped"),
                SpoolHole { first: Index(7), end: Index(9), kind: HoleKind::Acknowledged },
            ]),
        ]
    }

    fn file(entries: &[Entry]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for entry in entries {
            bytes.extend(encode(entry).expect("a short entry"));
        }
        bytes
    }

    fn ledger(entries: &[Entry]) -> Ledger {
        let mut ledger = Ledger::default();
        entries.iter().cloned().for_each(|entry| ledger.apply(entry));
        ledger
    }

    #[test]
    fn entries_read_back() {
        for entry in entries() {
            let bytes = encode(&entry).expect("a short entry");
            assert_eq!(decode(&bytes), Some((entry, bytes.len())));
        }
        let long = Entry::Start { first: Index(0), started_at_ms: 0, nonce: "n".repeat(257) };
        assert!(matches!(encode(&long), Err(SpoolError::Misuse(_))));
    }

    #[test]
    fn a_torn_last_entry_is_cut_off_at_every_byte() {
        let but_one = entries().len() - 1;
        let (whole, most) = (file(&entries()), file(&entries()[..but_one]));
        for keep in most.len()..whole.len() {
            for zeros in [0, 100] {
                let mut torn = whole[..keep].to_vec();
                torn.resize(keep + zeros, 0);
                if torn.starts_with(&whole) {
                    continue; // the bytes cut off were zeros
                }
                let (got, used) = decode_all(&torn).expect("a torn tail");
                assert_eq!((got, used), (ledger(&entries()[..but_one]), most.len()));
            }
        }
    }

    #[test]
    fn an_unreadable_entry_before_a_good_one_is_damage() {
        let (first, two) = (file(&entries()[..1]).len(), file(&entries()[..2]).len());
        for at in first..two {
            let mut bytes = file(&entries());
            bytes[at] ^= 0x10;
            let error = decode_all(&bytes).expect_err("damage");
            assert!(
                matches!(error, SpoolError::Damaged { offset, .. } if offset == first as u64),
                "{error}"
            );
        }
    }
}
