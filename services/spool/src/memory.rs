//! The blocks in memory, in one chain: those that are on the disk too (recent ones, kept for readers), those that
//! are not (pending ones), and the open one that appends go to.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use crate::Index;
use crate::block::{self, Block};

pub(crate) struct Blocks {
    /// Blocks that take no more records, contiguous up to the open one.
    closed: VecDeque<Arc<Block>>,
    open: Block,
    /// Blocks below are on the disk, or are not needed.
    on_disk: Index,
    /// Blocks below are on the disk or in the syncer's hands; the latter are not forgotten meanwhile.
    taken: Index,
    /// Length of the pending blocks.
    pending_bytes: u64,
    /// Memory of the recent blocks in bytes.
    recent_bytes: usize,
}

impl Blocks {
    pub fn new(next: Index) -> Blocks {
        Blocks {
            closed: VecDeque::new(),
            open: Block::new(next),
            on_disk: next,
            taken: next,
            pending_bytes: 0,
            recent_bytes: 0,
        }
    }

    /// The index that the next record gets.
    pub fn next(&self) -> Index {
        self.open.end()
    }

    pub fn on_disk(&self) -> Index {
        self.on_disk
    }

    /// Length of the blocks that are not on the disk.
    pub fn pending_bytes(&self) -> u64 {
        self.pending_bytes
    }

    /// Memory held, in bytes; of pending blocks what they take on the disk.
    pub fn held_bytes(&self) -> usize {
        self.recent_bytes + self.pending_bytes as usize
    }

    /// What a value adds to the pending bytes: a block's header too, if it begins one.
    pub fn cost(&self, value_bytes: usize, block_bytes: usize) -> u64 {
        let alone = block::alone_bytes(value_bytes);
        if self.joins_open(value_bytes, block_bytes) {
            alone - block::HEADER_BYTES as u64
        } else {
            alone
        }
    }

    fn joins_open(&self, value_bytes: usize, block_bytes: usize) -> bool {
        let joined = self.open.len() + (block::RECORD_BYTES + value_bytes) as u64;
        !self.open.is_empty() && joined <= block_bytes as u64
    }

    pub fn append(&mut self, value: &[u8], accepted_at_ms: i64, block_bytes: usize) {
        self.pending_bytes += self.cost(value.len(), block_bytes);
        if !self.joins_open(value.len(), block_bytes) {
            self.close_open();
        }
        self.open.push(value, accepted_at_ms);
    }

    fn close_open(&mut self) {
        if !self.open.is_empty() {
            let next = Block::new(self.open.end());
            self.closed.push_back(Arc::new(mem::replace(&mut self.open, next).close()));
        }
    }

    /// Hands all pending blocks to the syncer.
    pub fn take_pending(&mut self) -> Vec<Arc<Block>> {
        self.close_open();
        self.taken = self.open.first;
        self.closed.iter().filter(|block| block.first >= self.on_disk).cloned().collect()
    }

    /// The next blocks taken are on the disk.
    pub fn put_on_disk(&mut self, blocks: &[Arc<Block>]) {
        for block in blocks {
            self.on_disk = block.end();
            self.pending_bytes -= block.len();
            self.recent_bytes += block.held_bytes();
        }
    }

    /// The syncer has no block any more.
    pub fn end_taking(&mut self) {
        self.taken = self.on_disk;
    }

    /// Forgets the oldest blocks: those below `floor`, which nobody needs, and recent ones over `recent_bytes`.
    pub fn trim(&mut self, floor: Index, recent_bytes: usize) {
        while let Some(oldest) = self.closed.front() {
            let recent = oldest.end() <= self.on_disk;
            let taken = !recent && oldest.first < self.taken;
            let surplus = recent && self.recent_bytes > recent_bytes;
            if taken || !(surplus || oldest.end() <= floor) {
                return;
            }
            if recent {
                self.recent_bytes -= oldest.held_bytes();
            } else {
                self.pending_bytes -= oldest.len();
            }
            self.closed.pop_front();
        }
        if !self.open.is_empty() && self.open.end() <= floor {
            self.pending_bytes -= self.open.len();
            self.open.restart();
        }
    }

    /// The closed block that holds the record.
    pub fn closed(&self, index: Index) -> Option<&Arc<Block>> {
        let at = self.closed.partition_point(|block| block.end() <= index);
        self.closed.get(at).filter(|block| block.first <= index)
    }

    /// The open block, if it holds the record.
    pub fn open(&self, index: Index) -> Option<&Block> {
        (self.open.first..self.open.end()).contains(&index).then_some(&self.open)
    }

    /// Where the pending blocks from `floor` on end and how long each is, oldest first.
    pub fn pending(&self, floor: Index) -> impl Iterator<Item = (Index, u64)> {
        let open = (!self.open.is_empty()).then_some((self.open.end(), self.open.len()));
        let closed = self.closed.iter().filter(|block| block.first >= self.on_disk);
        let all = closed.map(|block| (block.end(), block.len())).chain(open);
        all.filter(move |(end, _)| *end > floor)
    }
}
