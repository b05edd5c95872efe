//! The syncer thread: group commit, reservations, and the removal of segments that nobody needs. Only it writes and
//! removes segments.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{mem, thread};

use crate::block::{Block, HEADER_BYTES};
use crate::ledger::Entry;
use crate::segment::{self, Segment};
use crate::shared::{Shared, lock};
use crate::{DiskFile, Index, Options, SpoolError};

pub(crate) struct Syncer {
    shared: Arc<Shared>,
    /// The segment that is written.
    active: Option<Active>,
    disk_retry: Duration,
    min_sync_interval: Duration,
    /// The disk was full or read-only: nothing is tried before.
    retry_at: Option<Instant>,
    /// Records are not synced again before, unless someone waits.
    sync_at: Option<Instant>,
}

/// The segment that is written.
pub(crate) struct Active {
    pub first: Index,
    pub file: Box<dyn DiskFile>,
    /// Length of its whole blocks in bytes.
    pub bytes: u64,
    /// The index behind its last record.
    pub end: Index,
    /// Behind the whole blocks stands what a failed write has left.
    pub dirty: bool,
}

struct Work {
    free: Vec<Segment>,
    reserve: Option<Index>,
    blocks: Vec<Arc<Block>>,
    durable: Index,
}

impl Syncer {
    pub fn new(shared: Arc<Shared>, active: Option<Active>, options: &Options) -> Syncer {
        Syncer {
            shared,
            active,
            disk_retry: options.disk_retry,
            min_sync_interval: options.min_sync_interval,
            retry_at: None,
            sync_at: None,
        }
    }

    /// Works until the spool is closed and all that is to be written is, or fails.
    pub fn run(mut self) {
        let _alarm = Alarm(self.shared.clone());
        while let Some(work) = self.next_work() {
            let done = self.work(&work);
            let blocked = done.as_ref().err().and_then(SpoolError::blocked);
            self.retry_at = blocked.map(|_| Instant::now() + self.disk_retry);
            self.shared.state().end_commit(blocked);
            match done {
                Err(error) if blocked.is_none() => return self.shared.fail(&error.into_final()),
                _ => self.shared.notify_progress(),
            }
        }
    }

    /// Waits for something to do; `None` at the end.
    fn next_work(&mut self) -> Option<Work> {
        let mut state = self.shared.state();
        loop {
            if state.failed.is_some() {
                return None;
            }
            if mem::take(&mut state.hurry) {
                self.retry_at = None;
            }
            let mut wait = left(self.retry_at);
            if wait.is_none() {
                let (free, reserve) = (state.free_segments(), state.reservation());
                let impatient = state.pressed || state.closing;
                wait = left(self.sync_at).filter(|_| state.must_write() && !impatient);
                let write = state.must_write() && wait.is_none();
                if write || reserve.is_some() || !free.is_empty() {
                    let durable = state.synced();
                    let blocks = if write { state.take_pending() } else { Vec::new() };
                    return Some(Work { free, reserve, blocks, durable });
                }
            }
            if state.closing {
                return None;
            }
            state = self.shared.await_work(state, wait);
        }
    }

    fn work(&mut self, work: &Work) -> Result<(), SpoolError> {
        self.remove(&work.free)?;
        if let Some(to) = work.reserve {
            self.shared.record(|_| Ok(Some(Entry::Reserve { to })))?;
            self.shared.notify_progress();
        }
        self.commit(&work.blocks, work.durable)
    }

    /// Unlinks segments that nobody needs. The cursor is durable first, as the holes are: else a crash would leave a
    /// log that lacks records.
    fn remove(&mut self, free: &[Segment]) -> Result<(), SpoolError> {
        let Some(last) = free.last() else { return Ok(()) };
        self.shared.record_cursor(false)?;
        for segment in free {
            if self.active.as_ref().is_some_and(|active| active.first == segment.first) {
                self.active = None;
            }
            let name = segment::name(segment.first);
            match self.shared.disk.remove(&name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SpoolError::write(format!("remove {name}"), &error));
                }
                _ => self.shared.state().drop_oldest_segment(),
            }
        }
        lock(&self.shared.quarantine).forget_before(last.first.plus(1));
        self.shared.notify_progress();
        Ok(())
    }

    /// Writes blocks in one group: one fsync per segment touched. What could not be written for want of space stays
    /// pending, and nothing of it in the file.
    fn commit(&mut self, blocks: &[Arc<Block>], mut durable: Index) -> Result<(), SpoolError> {
        let limit = self.shared.state().bounds.segment;
        let mut unsynced = 0..0;
        for (at, block) in blocks.iter().enumerate() {
            let fits = self.active.as_ref().is_some_and(|active| {
                active.end == block.first && active.bytes + block.len() <= limit
            });
            if !fits {
                durable = self.publish(&blocks[unsynced.clone()], durable)?;
                unsynced = at..at;
            }
            let wrote = if fits { Ok(()) } else { self.begin_segment(block.first) }
                .and_then(|()| self.write(block, durable));
            if let Err(error) = wrote {
                self.publish(&blocks[unsynced], durable)?;
                return Err(error);
            }
            unsynced.end = at + 1;
        }
        self.publish(&blocks[unsynced], durable).map(drop)
    }

    /// Begins a segment. Where it does not follow the last one, the records between were acknowledged or dropped
    /// while they were in memory: that is made durable first.
    fn begin_segment(&mut self, first: Index) -> Result<(), SpoolError> {
        if self.active.take().is_none_or(|last| last.end < first) {
            self.shared.record_cursor(false)?;
        }
        let name = segment::name(first);
        let created = self.shared.disk.create(&name);
        let file = created.map_err(|error| SpoolError::write(format!("create {name}"), &error))?;
        let synced = self.shared.disk.sync_names();
        synced.map_err(|error| SpoolError::sync("the spool directory", &error))?;
        self.shared.state().add_segment(first);
        self.active = Some(Active { first, file, bytes: 0, end: first, dirty: false });
        Ok(())
    }

    fn write(&mut self, block: &Block, durable: Index) -> Result<(), SpoolError> {
        let Some(active) = &mut self.active else {
            return Err(SpoolError::Misuse("no segment is open"));
        };
        let name = || segment::name(active.first);
        if active.dirty {
            let cut = active.file.truncate(active.bytes);
            cut.map_err(|error| SpoolError::write(format!("cut {}", name()), &error))?;
            active.dirty = false;
        }
        // Below the segment nothing is missing.
        let header = block.header(durable.max(active.first));
        let body_at = active.bytes + HEADER_BYTES as u64;
        let wrote = active.file.write_at(&header, active.bytes);
        if let Err(error) = wrote.and_then(|()| active.file.write_at(block.body(), body_at)) {
            let error = SpoolError::write(format!("write {}", name()), &error);
            active.dirty = active.file.truncate(active.bytes).is_err();
            return Err(error);
        }
        active.bytes += block.len();
        active.end = block.end();
        self.shared.count_written(block.len());
        Ok(())
    }

    /// Syncs the active segment and makes what was written to it durable. Returns the new durable index.
    fn publish(&mut self, written: &[Arc<Block>], durable: Index) -> Result<Index, SpoolError> {
        let (Some(active), Some(last)) = (&self.active, written.last()) else { return Ok(durable) };
        active
            .file
            .sync()
            .map_err(|error| SpoolError::sync(segment::name(active.first), &error))?;
        self.sync_at = Some(Instant::now() + self.min_sync_interval);
        self.shared.count_sync();
        self.shared.state().publish(written);
        self.shared.notify_progress();
        Ok(last.end())
    }
}

/// What is left of the time until `at`.
fn left(at: Option<Instant>) -> Option<Duration> {
    let left = at?.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

/// Fails the spool if the syncer panics: nobody may wait for it in vain.
struct Alarm(Arc<Shared>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(&SpoolError::Failed("the syncer panicked".into()));
        }
    }
}
