//! What the threads of a spool share under its lock. No file is touched here, and nothing waits.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::block::{self, Block};
use crate::holes::Holes;
use crate::ledger::{Ledger, Run};
use crate::memory::Blocks;
use crate::segment::Segment;
use crate::{AppendError, Full, FullPolicy, Index, Mode, Options, SpoolError};

/// How many records a reservation covers; see the crate documentation, "Modes".
const RESERVED_RECORDS: u64 = 1 << 16;

/// The promises and the bounds, in bytes; see [`Options`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub mode: Mode,
    pub full_policy: FullPolicy,
    pub spool: u64,
    pub memory: u64,
    pub segment: u64,
    pub unsynced: u64,
    pub recent: usize,
    pub block: usize,
    pub value: usize,
}

impl Bounds {
    pub fn new(options: &Options) -> Bounds {
        let segment = options.segment_bytes.min(options.max_bytes / 4);
        let (memory, alone, block) = match options.mode {
            Mode::Disk => (0, segment, segment),
            Mode::Spill => {
                let memory = options.memory_bytes.min(options.max_bytes / 2);
                (memory, segment, segment.min(memory / 4))
            }
            Mode::Memory => (options.memory_bytes, options.memory_bytes, options.memory_bytes / 4),
        };
        Bounds {
            mode: options.mode,
            full_policy: options.full_policy,
            spool: options.max_bytes,
            memory,
            segment,
            unsynced: options.unsynced_bytes as u64,
            recent: options.recent_bytes,
            block: options.block_bytes.min(usize::try_from(block).unwrap_or(usize::MAX)),
            value: block::max_value_bytes(alone),
        }
    }
}

/// The shared state.
pub(crate) struct State {
    pub bounds: Bounds,
    blocks: Blocks,
    /// Segment files, oldest first; the syncer writes to the last.
    segments: VecDeque<Segment>,
    segment_bytes: u64,
    cursor: Index,
    holes: Holes,
    pub runs: Vec<Run>,
    /// Records below may be dispatched though they are in memory only.
    reserved: Index,
    /// Records appended since the spool was opened.
    pub appended: u64,
    /// A start was begun since the spool was opened: appends are allowed.
    pub started: bool,
    pub uplink: bool,
    /// An append waits for the syncer.
    pub pressed: bool,
    /// Length of the value that was last refused for want of room, if none was accepted since.
    wanted: Option<usize>,
    /// What kept the syncer from writing the last time it tried.
    pub blocked: Option<Full>,
    /// The syncer need not wait for its next try: space may have come, or the spool is closing.
    pub hurry: bool,
    pub closing: bool,
    pub failed: Option<Arc<str>>,
}

/// Where a record is that does not stand in the open block.
pub(crate) enum Place {
    /// In memory.
    Block(Arc<Block>),
    /// In a segment file, whose records end before the index.
    File(Segment, Index),
}

impl State {
    pub fn new(bounds: Bounds, segments: VecDeque<Segment>, next: Index, ledger: &Ledger) -> State {
        State {
            bounds,
            blocks: Blocks::new(next),
            segment_bytes: segments.iter().map(|segment| segment.bytes).sum(),
            segments,
            cursor: ledger.cursor(),
            holes: ledger.holes().clone(),
            runs: ledger.runs(Some(next)),
            reserved: next,
            appended: 0,
            started: false,
            uplink: true,
            pressed: false,
            wanted: None,
            blocked: None,
            hurry: false,
            closing: false,
            failed: None,
        }
    }

    /// Takes over what the journal holds now.
    pub fn follow(&mut self, ledger: &Ledger) {
        let end = (!self.started).then(|| self.next());
        self.runs = ledger.runs(end);
        self.reserved = self.reserved.max(ledger.reserved());
        self.holes = ledger.holes().clone();
        self.holes.forget_below(self.cursor);
        self.trim();
    }

    /// An error if the spool has failed, or is closed.
    pub fn usable(&self) -> Result<(), SpoolError> {
        match &self.failed {
            Some(reason) => Err(SpoolError::Failed(reason.clone())),
            None if self.closing => Err(SpoolError::Closed),
            None => Ok(()),
        }
    }

    pub fn next(&self) -> Index {
        self.blocks.next()
    }

    /// Every record that was not acknowledged or dropped in memory is on the disk below.
    pub fn synced(&self) -> Index {
        self.blocks.on_disk()
    }

    /// Every record below is on the disk, or in a hole, or acknowledged.
    pub fn on_disk(&self) -> Index {
        match self.blocks.pending(self.floor()).next() {
            Some(_) => self.blocks.on_disk().max(self.floor()),
            None => self.next(),
        }
    }

    /// Every record below is as safe as the mode promises.
    pub fn durable(&self) -> Index {
        match self.bounds.mode {
            Mode::Disk => self.blocks.on_disk(),
            Mode::Spill | Mode::Memory => self.next().min(self.reserved),
        }
    }

    pub fn cursor(&self) -> Index {
        self.cursor
    }

    pub fn holes(&self) -> &Holes {
        &self.holes
    }

    /// No record below is ever read again.
    pub fn floor(&self) -> Index {
        self.holes.floor(self.cursor)
    }

    pub fn bytes(&self) -> u64 {
        self.segment_bytes + self.blocks.pending_bytes()
    }

    pub fn pending_bytes(&self) -> u64 {
        self.blocks.pending_bytes()
    }

    /// Memory held by blocks, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.blocks.held_bytes()
    }

    /// Whether a value would be refused, and why.
    pub fn refusal(&self, value_bytes: usize) -> Option<AppendError> {
        if let Err(error) = self.usable() {
            Some(error.into())
        } else if !self.started {
            Some(SpoolError::Misuse("append before begin_start").into())
        } else if value_bytes > self.bounds.value {
            Some(AppendError::TooLarge { bytes: value_bytes, limit: self.bounds.value })
        } else {
            self.lack(value_bytes).map(AppendError::Full)
        }
    }

    /// What is full, if there is no room for a value and none comes by itself.
    fn lack(&self, value_bytes: usize) -> Option<Full> {
        let cost = self.blocks.cost(value_bytes, self.bounds.block);
        let pending = self.blocks.pending_bytes();
        let in_memory = pending == 0 || pending + cost <= self.bounds.memory;
        let in_spool = self.bytes() + cost <= self.bounds.spool;
        match self.bounds.mode {
            Mode::Disk => self.blocked.or((!in_spool).then_some(Full::Spool)),
            Mode::Spill if !in_spool => Some(Full::Spool),
            Mode::Spill => self.blocked.filter(|_| !in_memory),
            Mode::Memory => (!in_memory).then_some(self.blocked.unwrap_or(Full::Spool)),
        }
    }

    /// Whether a value must wait for the disk. Always false while all is written, so that any value passes.
    pub fn must_wait(&self, value_bytes: usize) -> bool {
        let pending = self.blocks.pending_bytes();
        let bound = match self.bounds.mode {
            Mode::Disk => self.bounds.unsynced,
            Mode::Spill => self.bounds.memory,
            Mode::Memory => return false,
        };
        pending > 0 && pending + self.blocks.cost(value_bytes, self.bounds.block) > bound
    }

    /// Appends a value that is neither refused nor has to wait. Returns whether the syncer may have work now.
    pub fn append(&mut self, value: &[u8], accepted_at_ms: i64) -> bool {
        let was_idle = self.blocks.pending_bytes() == 0;
        self.blocks.append(value, accepted_at_ms, self.bounds.block);
        self.appended += 1;
        self.wanted = None;
        match self.bounds.mode {
            Mode::Disk => was_idle,
            Mode::Spill | Mode::Memory => self.reservation().is_some() || self.must_write(),
        }
    }

    /// Notes that a value of this length found no room.
    pub fn want(&mut self, value_bytes: usize) {
        self.wanted = Some(value_bytes);
    }

    /// Whether pending records are to be written now.
    pub fn must_write(&self) -> bool {
        let pending = self.blocks.pending_bytes();
        let wanted = match self.bounds.mode {
            Mode::Disk => true,
            Mode::Spill => {
                !self.uplink || self.closing || self.pressed || pending > self.bounds.memory / 2
            }
            Mode::Memory => false,
        };
        wanted && pending > 0
    }

    /// Up to where to reserve, once half of the last reservation is used.
    pub fn reservation(&self) -> Option<Index> {
        let low = self.next().plus(RESERVED_RECORDS / 2) > self.reserved;
        let needed = self.started && low && self.bounds.mode != Mode::Disk;
        needed.then(|| self.next().plus(RESERVED_RECORDS))
    }

    /// Hands everything that is not on the disk to the syncer.
    pub fn take_pending(&mut self) -> Vec<Arc<Block>> {
        self.pressed = false;
        self.blocks.take_pending()
    }

    /// Adds a segment file, which will be written from now on.
    pub fn add_segment(&mut self, first: Index) {
        self.segments.push_back(Segment { first, bytes: 0 });
    }

    /// Blocks of the last segment were synced.
    pub fn publish(&mut self, blocks: &[Arc<Block>]) {
        self.blocks.put_on_disk(blocks);
        let bytes: u64 = blocks.iter().map(|block| block.len()).sum();
        self.segment_bytes += bytes;
        if let Some(segment) = self.segments.back_mut() {
            segment.bytes += bytes;
        }
        self.trim();
    }

    /// The syncer has written what it could.
    pub fn end_commit(&mut self, blocked: Option<Full>) {
        self.blocked = blocked;
        self.blocks.end_taking();
        self.trim();
    }

    fn trim(&mut self) {
        self.blocks.trim(self.floor(), self.bounds.recent);
    }

    /// The block that appends go to, if it holds the record.
    pub fn open_block(&self, index: Index) -> Option<&Block> {
        self.blocks.open(index)
    }

    /// Where else to read a record that is durable, not below the cursor and in no hole.
    pub fn place(&self, index: Index) -> Option<Place> {
        if let Some(block) = self.blocks.closed(index) {
            return Some(Place::Block(block.clone()));
        }
        let behind = self.segments.partition_point(|segment| segment.first <= index);
        let segment = self.segments.get(behind.checked_sub(1)?)?;
        let end = self.segments.get(behind).map_or(self.blocks.on_disk(), |next| next.first);
        Some(Place::File(*segment, end))
    }

    /// Advances the cursor; it never goes back. Returns whether a segment became free.
    pub fn advance_cursor(&mut self, to: Index) -> Result<bool, SpoolError> {
        if to > self.durable() {
            return Err(SpoolError::Misuse("the cursor cannot pass what is durable"));
        }
        self.cursor = self.cursor.max(to);
        self.holes.forget_below(self.cursor);
        self.trim();
        let free = !self.free_segments().is_empty();
        self.hurry |= free;
        Ok(free)
    }

    /// The segments that nobody needs, oldest first. The one that is written is kept, so that a log that is
    /// drained all the time does not make a file for every group; but not when the disk is full.
    pub fn free_segments(&self) -> Vec<Segment> {
        let floor = self.floor();
        let end = |at: usize| match self.segments.get(at + 1) {
            Some(next) => Some(next.first),
            None => (self.blocked == Some(Full::Disk) && self.segments[at].bytes > 0)
                .then(|| self.blocks.on_disk()),
        };
        let free =
            (0..self.segments.len()).take_while(|at| end(*at).is_some_and(|end| end <= floor));
        free.map(|at| self.segments[at]).collect()
    }

    /// Forgets the oldest segment, whose file is gone.
    pub fn drop_oldest_segment(&mut self) {
        if let Some(segment) = self.segments.pop_front() {
            self.segment_bytes -= segment.bytes;
        }
    }

    /// Up to where the oldest records would be dropped to make room for a value that was refused.
    pub fn wants_drop(&self) -> Option<Index> {
        let value_bytes =
            self.wanted.filter(|_| self.bounds.full_policy == FullPolicy::DropOldest)?;
        let lack = self.lack(value_bytes)?;
        let cost = self.blocks.cost(value_bytes, self.bounds.block);
        let wanted = match (lack, self.bounds.mode) {
            (Full::ReadOnly, _) => None,
            (_, Mode::Memory) => self.oldest_pending(cost),
            (Full::Spool, _) => {
                self.oldest_segments((self.bytes() + cost).saturating_sub(self.bounds.spool))
            }
            (Full::Disk, _) if !self.free_segments().is_empty() => None,
            (Full::Disk, _) if self.segment_bytes == 0 => self.oldest_pending(cost),
            (Full::Disk, _) => self.oldest_segments(1).or(Some(self.blocks.on_disk())),
        };
        wanted.filter(|to| *to > self.floor())
    }

    /// The end of the oldest segments that together have this many bytes, without the last one.
    fn oldest_segments(&self, bytes: u64) -> Option<Index> {
        let nexts = self.segments.iter().skip(1).map(|next| next.first);
        let ends = self.segments.iter().zip(nexts).map(|(segment, end)| (end, segment.bytes));
        end_of(ends, bytes)
    }

    /// The end of the oldest blocks in memory that must go for a value to fit, and for an eighth of the memory, so
    /// that few drops do.
    fn oldest_pending(&self, cost: u64) -> Option<Index> {
        let lacking = (self.pending_bytes() + cost).saturating_sub(self.bounds.memory);
        let bytes = lacking.max(self.bounds.memory / 8);
        end_of(self.blocks.pending(self.floor()), bytes).map(|end| end.min(self.durable()))
    }
}

/// The end of the first parts that together have this many bytes; of all of them, if they have less.
fn end_of(parts: impl Iterator<Item = (Index, u64)>, bytes: u64) -> Option<Index> {
    let (mut sum, mut last) = (0, None);
    for (end, part) in parts {
        sum += part;
        last = Some(end);
        if sum >= bytes {
            break;
        }
    }
    last
}
