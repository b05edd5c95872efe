//! Reading records back: from recent blocks in memory, else from the segment files, one block at a time, so that
//! the memory held does not depend on how much is read.

use crate::batch::Limits;
use crate::block::{Header, record_at};
use crate::segment::{Damage, Place, Segment, SegmentFile};
use crate::shared::Shared;
use crate::state;
use crate::{Batch, Disk, Index, SpoolError};

/// With so many holes, damage costs the rest of its segment: what must be remembered stays bounded.
const MAX_HOLES: usize = 1000;

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
    /// Fills `batch` with durable records from `from` on, up to the next hole. Damage that is met becomes one.
    pub fn read(
        &mut self,
        shared: &Shared,
        from: Index,
        limits: &Limits,
        batch: &mut Batch,
    ) -> Result<(), SpoolError> {
        batch.restart(from);
        while batch.len() < limits.records {
            let at = batch.end();
            let state = shared.state();
            state.usable()?;
            if from < state.cursor() {
                return Err(SpoolError::Gone { from, cursor: state.cursor() });
            }
            let hole = state.holes().from(at);
            if let Some(hole) = hole.filter(|hole| hole.first <= at) {
                return if batch.is_empty() { Err(SpoolError::Hole(hole.clone())) } else { Ok(()) };
            }
            let end = hole.map_or(state.durable(), |hole| hole.first.min(state.durable()));
            let within = batch.len() + usize::try_from(end.since(at)).unwrap_or(usize::MAX);
            let limits = Limits { records: limits.records.min(within), ..*limits };
            if at >= end {
                break;
            }
            if let Some(block) = state.open_block(at) {
                self.take(block.body(), block.first, &limits, batch);
                break;
            }
            let place = state.place(at);
            drop(state);
            let taken = match place {
                Some(state::Place::Block(block)) => {
                    self.take(block.body(), block.first, &limits, batch)
                }
                Some(state::Place::File(segment, end)) => {
                    // Damage is a hole when it was met: what to do about it is seen in the next turn.
                    let Some(file) = self.load(shared, segment, end, at)? else { continue };
                    let taken = self.take(&file.body, file.first(), &limits, batch);
                    self.file = Some(file);
                    taken
                }
                None => 0,
            };
            if taken == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The segment's file with the block of `index` loaded; `None` if it is damaged, which is declared then.
    fn load(
        &mut self,
        shared: &Shared,
        segment: Segment,
        end: Index,
        index: Index,
    ) -> Result<Option<SegmentReader>, SpoolError> {
        let mut file = match self.file.take() {
            Some(file) if file.file.first == segment.first => file,
            _ => match SegmentReader::open(&*shared.disk, segment)? {
                Some(file) => file,
                None => {
                    let first = segment.first;
                    let damage = Damage { segment: first, at: 0, behind: 0, first, end };
                    shared.declare(None, &damage)?;
                    return Ok(None);
                }
            },
        };
        file.file.bytes = segment.bytes;
        while let Some(mut damage) = file.load(index, end)? {
            if shared.state().holes().as_slice().len() >= MAX_HOLES {
                damage.end = end;
            }
            shared.declare(Some(&file.file), &damage)?;
            if index < damage.end {
                self.file = Some(file);
                return Ok(None);
            }
        }
        Ok(Some(file))
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
    file: SegmentFile,
    /// Where the block behind the loaded one begins.
    behind: Place,
    loaded: Option<Header>,
    body: Vec<u8>,
}

impl SegmentReader {
    fn open(disk: &dyn Disk, segment: Segment) -> Result<Option<SegmentReader>, SpoolError> {
        let file = SegmentFile::open(disk, segment.first)?;
        let behind = Place { at: 0, next: segment.first };
        Ok(file.map(|file| SegmentReader { file, behind, loaded: None, body: Vec::new() }))
    }

    /// The first record of the loaded block.
    fn first(&self) -> Index {
        self.loaded.map_or(self.behind.next, |header| header.first)
    }

    /// Loads the block that holds `index`, walking from block to block; `end` is where the segment's records end.
    /// Stops behind damage that it meets, and returns it.
    fn load(&mut self, index: Index, end: Index) -> Result<Option<Damage>, SpoolError> {
        if self.loaded.is_some_and(|header| header.contains(index)) {
            return Ok(None);
        }
        if index < self.behind.next {
            self.behind = Place { at: 0, next: self.file.first };
        }
        self.loaded = None;
        loop {
            let place = self.behind;
            let header = self.file.header(place)?;
            if let Some(header) = header {
                self.behind = Place { at: place.at + header.block_bytes(), next: header.end() };
                if !header.contains(index) {
                    continue;
                }
                if self.file.body(place.at, header, &mut self.body)? {
                    self.loaded = Some(header);
                    return Ok(None);
                }
            }
            let damage = self.file.damage(place, header, end)?;
            self.behind = Place { at: damage.behind, next: damage.end };
            return Ok(Some(damage));
        }
    }
}
