//! The syncer thread: group commit and the removal of acknowledged segments. Only it writes and removes segments.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{mem, thread};

use crate::block::Block;
use crate::segment::{self, Segment};
use crate::shared::Shared;
use crate::{DiskFile, Index, SpoolError};

pub(crate) struct Syncer {
    shared: Arc<Shared>,
    /// The segment that is written.
    active: Option<Active>,
    /// What is to be written, in order.
    queue: VecDeque<Block>,
    disk_retry: Duration,
    /// The disk was full: nothing is tried before.
    retry_at: Option<Instant>,
}

/// The segment that is written.
pub(crate) struct Active {
    pub first: Index,
    pub file: Box<dyn DiskFile>,
    /// Length of its whole blocks in bytes.
    pub bytes: u64,
}

struct Work {
    free: Vec<Segment>,
    durable: Index,
}

impl Syncer {
    pub fn new(shared: Arc<Shared>, active: Option<Active>, disk_retry: Duration) -> Syncer {
        Syncer { shared, active, queue: VecDeque::new(), disk_retry, retry_at: None }
    }

    /// Works until the spool is closed and all is durable, or fails.
    pub fn run(mut self) {
        let _alarm = Alarm(self.shared.clone());
        while let Some(work) = self.next_work() {
            let done = self.remove(&work.free).and_then(|()| self.commit(work.durable));
            let full = matches!(done, Err(SpoolError::DiskFull { .. }));
            self.retry_at = full.then(|| Instant::now() + self.disk_retry);
            self.shared.state().disk_full = full;
            match done {
                Err(error) if !full => return self.shared.fail(&error),
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
            state.take_unsynced(&mut self.queue);
            if mem::take(&mut state.hurry) {
                self.retry_at = None;
            }
            let wait = self.retry_at.map(|at| at.saturating_duration_since(Instant::now()));
            if wait.is_none_or(|wait| wait.is_zero()) {
                let free: Vec<Segment> = state.free_segments().collect();
                if !free.is_empty() || !self.queue.is_empty() {
                    return Some(Work { free, durable: state.durable() });
                }
            }
            if state.closing {
                return None;
            }
            state = self.shared.await_work(state, wait.filter(|wait| !wait.is_zero()));
        }
    }

    /// Unlinks acknowledged segments. The cursor is durable first: else a crash would leave a log with a hole.
    fn remove(&mut self, free: &[Segment]) -> Result<(), SpoolError> {
        if free.is_empty() {
            return Ok(());
        }
        self.shared.record_cursor(false)?;
        for segment in free {
            let name = segment::name(segment.first);
            let removed = self.shared.disk.remove(&name);
            removed.map_err(|error| SpoolError::write(format!("remove {name}"), &error))?;
            self.shared.state().drop_oldest_segment();
        }
        self.shared.notify_progress();
        Ok(())
    }

    /// Writes the queue in one group: one fsync per segment touched. What could not be written for want of space
    /// stays in the queue, and nothing of it in the file.
    fn commit(&mut self, mut durable: Index) -> Result<(), SpoolError> {
        let limit = self.shared.state().bounds.segment;
        let mut written = Vec::new();
        while let Some(mut block) = self.queue.pop_front() {
            let fits = self
                .active
                .as_ref()
                .is_some_and(|active| active.bytes + block.len() as u64 <= limit);
            if !fits {
                durable = self.publish(&mut written, durable)?;
            }
            block.seal(durable);
            let wrote = if fits { Ok(()) } else { self.begin_segment(block.first) }
                .and_then(|()| self.write(&block));
            match wrote {
                Ok(()) => written.push(block),
                Err(error) => {
                    self.queue.push_front(block);
                    self.publish(&mut written, durable)?;
                    return Err(error);
                }
            }
        }
        self.publish(&mut written, durable).map(drop)
    }

    fn begin_segment(&mut self, first: Index) -> Result<(), SpoolError> {
        self.active = None;
        let name = segment::name(first);
        let created = self.shared.disk.create(&name);
        let file = created.map_err(|error| SpoolError::write(format!("create {name}"), &error))?;
        let synced = self.shared.disk.sync_names();
        synced.map_err(|error| SpoolError::sync("the spool directory", &error))?;
        self.shared.state().add_segment(first);
        self.active = Some(Active { first, file, bytes: 0 });
        Ok(())
    }

    fn write(&mut self, block: &Block) -> Result<(), SpoolError> {
        let Some(active) = &mut self.active else {
            return Err(SpoolError::Misuse("no segment is open"));
        };
        if let Err(error) = active.file.write_at(block.bytes(), active.bytes) {
            let name = segment::name(active.first);
            let cut = active.file.truncate(active.bytes);
            cut.map_err(|error| SpoolError::Failed(format!("cannot cut {name}: {error}").into()))?;
            return Err(SpoolError::write(format!("write {name}"), &error));
        }
        active.bytes += block.len() as u64;
        self.shared.count_written(block.len() as u64);
        Ok(())
    }

    /// Syncs the active segment and makes what was written to it readable. Returns the new durable index.
    fn publish(&mut self, written: &mut Vec<Block>, durable: Index) -> Result<Index, SpoolError> {
        let (Some(active), Some(last)) = (&self.active, written.last()) else { return Ok(durable) };
        let durable = last.end();
        active
            .file
            .sync()
            .map_err(|error| SpoolError::sync(segment::name(active.first), &error))?;
        self.shared.state().publish(written.drain(..));
        self.shared.notify_progress();
        Ok(durable)
    }
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
