//! Reading records back: from recent blocks in memory, else from the segment files, one block at a time, so that
//! the memory held does not depend on how much is read.

use std::io;

use crate::batch::Limits;
use crate::block::{HEADER_BYTES, Header, record_at};
use crate::segment::{self, Segment};
use crate::shared::Shared;
use crate::{Batch, Disk, DiskFile, Index, SpoolError};

/// A reader's place. Reads that follow each other cost no search.
#[derive(Default)]
pub(crate) struct Reader {
    file: Option<SegmentReader>,
    resume: Resume,
}

/// Where a record begins in the body of its block.
#[derive(Clone, Copy, Default)]
struct Resume {
    block: Index,
    index: Index,
    offset: usize,
}

impl Resume {
    /// The offset of `index` in the body of the block that begins with `block`.
    fn find(self, body: &[u8], block: Index, index: Index) -> usize {
        let (mut at, mut offset) = if self.block == block && self.index <= index {
            (self.index, self.offset)
        } else {
            (block, 0)
        };
        while at < index
            && let Some(record) = record_at(body, offset)
        {
            at = at.plus(1);
            offset = record.end;
        }
        offset
    }
}

impl Reader {
    /// Fills `batch` with durable records from `from` on.
    pub fn read(
        &mut self,
        shared: &Shared,
        from: Index,
        limits: &Limits,
        batch: &mut Batch,
    ) -> Result<(), SpoolError> {
        batch.restart(from);
        while batch.len() < limits.records {
            let (recent, segment) = {
                let state = shared.state();
                state.usable()?;
                if from < state.cursor() {
                    return Err(SpoolError::Gone { from, cursor: state.cursor() });
                }
                if batch.end() >= state.durable() {
                    break;
                }
                match state.recent(batch.end()) {
                    Some(block) => (Some(block), None),
                    None => (None, state.segment_of(batch.end())),
                }
            };
            let taken = match (&recent, segment) {
                (Some(block), _) => self.take(block.body(), block.first, limits, batch),
                (None, Some(segment)) => {
                    let mut file = match self.file.take() {
                        Some(file) if file.segment == segment.first => file,
                        _ => SegmentReader::open(&*shared.disk, segment)?,
                    };
                    file.load(batch.end())?;
                    let taken = self.take(&file.body, file.first(), limits, batch);
                    self.file = Some(file);
                    taken
                }
                (None, None) => 0,
            };
            if taken == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Takes what the limits allow from one block. Returns how many records.
    fn take(&mut self, body: &[u8], first: Index, limits: &Limits, batch: &mut Batch) -> usize {
        let before = batch.len();
        let offset = self.resume.find(body, first, batch.end());
        let offset = batch.take(body, offset, limits);
        self.resume = Resume { block: first, index: batch.end(), offset };
        batch.len() - before
    }

    /// Memory held in bytes.
    pub fn held_bytes(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.body.capacity())
    }
}

/// A segment file with one of its blocks loaded.
struct SegmentReader {
    segment: Index,
    name: String,
    file: Box<dyn DiskFile>,
    /// Where the block behind the loaded one begins, in bytes, and with which record.
    behind: u64,
    next: Index,
    loaded: Option<Header>,
    body: Vec<u8>,
}

impl SegmentReader {
    fn open(disk: &dyn Disk, segment: Segment) -> Result<SegmentReader, SpoolError> {
        let name = segment::name(segment.first);
        let file = disk.open(&name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SpoolError::damaged(&name, 0, "the file is missing"),
            _ => SpoolError::read(format!("open {name}"), error),
        })?;
        let first = segment.first;
        Ok(SegmentReader {
            segment: first,
            name,
            file,
            behind: 0,
            next: first,
            loaded: None,
            body: Vec::new(),
        })
    }

    /// The first record of the loaded block.
    fn first(&self) -> Index {
        self.loaded.map_or(self.next, |header| header.first)
    }

    /// Loads the block that holds `index`, walking from block to block.
    fn load(&mut self, index: Index) -> Result<(), SpoolError> {
        if self.loaded.is_some_and(|header| header.contains(index)) {
            return Ok(());
        }
        if index < self.next {
            (self.behind, self.next) = (0, self.segment);
        }
        self.loaded = None;
        loop {
            let at = self.behind;
            let mut head = [0; HEADER_BYTES];
            let head_bytes = self.read(&mut head, at)?;
            let Some(header) =
                Header::decode(&head[..head_bytes]).filter(|header| header.first == self.next)
            else {
                return Err(self.damaged(at));
            };
            self.behind += header.block_bytes();
            self.next = header.end();
            if header.contains(index) {
                let mut body = std::mem::take(&mut self.body);
                body.clear();
                body.reserve_exact(header.body_bytes as usize);
                body.resize(header.body_bytes as usize, 0);
                let body_bytes = self.read(&mut body, at + HEADER_BYTES as u64)?;
                self.body = body;
                if body_bytes < self.body.len() || crc32fast::hash(&self.body) != header.body_crc {
                    return Err(self.damaged(at));
                }
                self.loaded = Some(header);
                return Ok(());
            }
        }
    }

    fn read(&self, into: &mut [u8], at: u64) -> Result<usize, SpoolError> {
        self.file
            .read_at(into, at)
            .map_err(|error| SpoolError::read(format!("read {}", self.name), error))
    }

    fn damaged(&self, at: u64) -> SpoolError {
        SpoolError::damaged(
            &self.name,
            at,
            format!("the block of record {} is unreadable", self.next),
        )
    }
}
