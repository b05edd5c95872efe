//! What the threads of a spool share under its lock. No file is touched here, and nothing waits.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use crate::block::{self, Block};
use crate::ledger::Run;
use crate::segment::Segment;
use crate::{AppendError, Full, Index, Options, SpoolError};

/// The bounds, in bytes; see [`Options`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub spool: u64,
    pub segment: u64,
    pub unsynced: usize,
    pub recent: usize,
    pub block: usize,
    pub value: usize,
}

impl Bounds {
    pub fn new(options: &Options) -> Bounds {
        let segment = options.segment_bytes.min(options.max_bytes / 4);
        Bounds {
            spool: options.max_bytes,
            segment,
            unsynced: options.unsynced_bytes,
            recent: options.recent_bytes,
            block: options.block_bytes.min(usize::try_from(segment).unwrap_or(usize::MAX)),
            value: block::max_value_bytes(segment),
        }
    }
}

/// The shared state.
pub(crate) struct State {
    pub bounds: Bounds,
    /// The block that appends go to.
    open: Block,
    /// Full blocks that the syncer has not taken yet.
    closed: VecDeque<Block>,
    /// Bytes of blocks that are not durable: open, closed and in the syncer's hands.
    unsynced: usize,
    /// Durable blocks kept for readers, contiguous up to `durable`.
    recent: VecDeque<Arc<Block>>,
    recent_bytes: usize,
    /// Segment files, oldest first; the syncer writes to the last.
    segments: VecDeque<Segment>,
    /// Bytes of segments and of blocks that are not durable.
    bytes: u64,
    durable: Index,
    cursor: Index,
    pub runs: Vec<Run>,
    /// A start was begun since the spool was opened: appends are allowed.
    pub started: bool,
    /// The syncer found the disk full and has not written since.
    pub disk_full: bool,
    /// The syncer need not wait for its next try: space may have come, or the spool is closing.
    pub hurry: bool,
    pub closing: bool,
    pub failed: Option<Arc<str>>,
}

impl State {
    pub fn new(
        bounds: Bounds,
        segments: VecDeque<Segment>,
        next: Index,
        cursor: Index,
        runs: Vec<Run>,
    ) -> State {
        State {
            bounds,
            open: Block::new(next),
            closed: VecDeque::new(),
            unsynced: 0,
            recent: VecDeque::new(),
            recent_bytes: 0,
            bytes: segments.iter().map(|segment| segment.bytes).sum(),
            segments,
            durable: next,
            cursor,
            runs,
            started: false,
            disk_full: false,
            hurry: false,
            closing: false,
            failed: None,
        }
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
        self.open.end()
    }

    pub fn durable(&self) -> Index {
        self.durable
    }

    pub fn cursor(&self) -> Index {
        self.cursor
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Memory held by blocks, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.unsynced + self.recent_bytes
    }

    /// What a value adds to the spool: a block's header too, if it begins one.
    fn cost(&self, value_bytes: usize) -> u64 {
        let alone = block::alone_bytes(value_bytes);
        if self.joins_open_block(value_bytes) { alone - block::HEADER_BYTES as u64 } else { alone }
    }

    fn joins_open_block(&self, value_bytes: usize) -> bool {
        !self.open.is_empty()
            && self.open.len() + block::RECORD_BYTES + value_bytes <= self.bounds.block
    }

    /// Whether a value would be refused, and why.
    pub fn refusal(&self, value_bytes: usize) -> Option<AppendError> {
        if let Err(error) = self.usable() {
            Some(error.into())
        } else if !self.started {
            Some(SpoolError::Misuse("append before begin_start").into())
        } else if value_bytes > self.bounds.value {
            Some(AppendError::TooLarge { bytes: value_bytes, limit: self.bounds.value })
        } else if self.disk_full {
            Some(AppendError::Full(Full::Disk))
        } else if self.bytes + self.cost(value_bytes) > self.bounds.spool {
            Some(AppendError::Full(Full::Spool))
        } else {
            None
        }
    }

    /// Whether a value must wait for the disk. Always false while all is durable, so that any value passes.
    pub fn must_wait(&self, value_bytes: usize) -> bool {
        self.unsynced > 0
            && self.unsynced + block::RECORD_BYTES + value_bytes > self.bounds.unsynced
    }

    /// Appends a value that is neither refused nor has to wait. Returns whether the syncer may have been idle.
    pub fn append(&mut self, value: &[u8], accepted_at_ms: i64) -> bool {
        let cost = self.cost(value.len());
        if !self.joins_open_block(value.len()) && !self.open.is_empty() {
            let next = Block::new(self.next());
            self.closed.push_back(mem::replace(&mut self.open, next));
        }
        let was_idle = self.open.is_empty() && self.closed.is_empty();
        self.open.push(value, accepted_at_ms);
        self.unsynced += cost as usize;
        self.bytes += cost;
        was_idle
    }

    /// Hands everything not durable over to the syncer, behind what it has already.
    pub fn take_unsynced(&mut self, queue: &mut VecDeque<Block>) {
        queue.append(&mut self.closed);
        if !self.open.is_empty() {
            let next = Block::new(self.next());
            queue.push_back(mem::replace(&mut self.open, next));
        }
    }

    /// Adds a segment file, which will be written from now on.
    pub fn add_segment(&mut self, first: Index) {
        self.segments.push_back(Segment { first, bytes: 0 });
    }

    /// Makes synced blocks of the last segment readable.
    pub fn publish(&mut self, blocks: impl Iterator<Item = Block>) {
        for block in blocks {
            self.durable = block.end();
            self.unsynced -= block.len();
            if let Some(segment) = self.segments.back_mut() {
                segment.bytes += block.len() as u64;
            }
            self.recent_bytes += block.held_bytes();
            self.recent.push_back(Arc::new(block));
        }
        self.trim_recent();
    }

    /// Forgets recent blocks that are acknowledged or over the bound.
    fn trim_recent(&mut self) {
        while let Some(block) = self.recent.front()
            && (self.recent_bytes > self.bounds.recent || block.end() <= self.cursor)
        {
            self.recent_bytes -= block.held_bytes();
            self.recent.pop_front();
        }
    }

    /// The recent block that holds the record; `None` if it must be read from its segment.
    pub fn recent(&self, index: Index) -> Option<Arc<Block>> {
        let at = self.recent.partition_point(|block| block.end() <= index);
        self.recent.get(at).filter(|block| block.first <= index).cloned()
    }

    /// The segment that holds a durable record from the cursor on.
    pub fn segment_of(&self, index: Index) -> Option<Segment> {
        let at = self.segments.partition_point(|segment| segment.first <= index);
        self.segments.get(at.checked_sub(1)?).copied()
    }

    /// Advances the cursor; it never goes back. Returns whether a segment became free.
    pub fn advance_cursor(&mut self, to: Index) -> Result<bool, SpoolError> {
        if to > self.durable {
            return Err(SpoolError::Misuse("the cursor cannot pass what is durable"));
        }
        self.cursor = self.cursor.max(to);
        self.trim_recent();
        let free = self.free_segments().next().is_some();
        self.hurry |= free;
        Ok(free)
    }

    /// The segments that hold acknowledged records only and are not written to, oldest first.
    pub fn free_segments(&self) -> impl Iterator<Item = Segment> {
        let nexts = self.segments.iter().skip(1);
        self.segments
            .iter()
            .zip(nexts)
            .take_while(|(_, next)| next.first <= self.cursor)
            .map(|(free, _)| *free)
    }

    /// Drops the oldest segment, whose file is gone.
    pub fn drop_oldest_segment(&mut self) {
        if let Some(segment) = self.segments.pop_front() {
            self.bytes -= segment.bytes;
        }
    }
}
