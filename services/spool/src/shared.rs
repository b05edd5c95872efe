//! What every handle and the syncer hold together: the state with its two condition variables, the journal and the
//! disk. The state's lock is never held while a file is used; the journal's may be.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::journal::Journal;
use crate::ledger::Entry;
use crate::open;
use crate::quarantine::Quarantine;
use crate::segment::{Damage, SegmentFile};
use crate::state::State;
use crate::{Disk, SpoolError};

pub(crate) struct Shared {
    pub disk: Box<dyn Disk>,
    state: Mutex<State>,
    journal: Mutex<Journal>,
    pub quarantine: Mutex<Quarantine>,
    /// Tells the syncer that there is work.
    work: Condvar,
    /// Tells everyone else that something is durable, or that there is room, or that the spool has failed.
    progress: Condvar,
    written: AtomicU64,
    syncs: AtomicU64,
}

/// Locks, whatever happened to another holder: a panic is reported by the thread that had it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn new(
        disk: Box<dyn Disk>,
        state: State,
        journal: Journal,
        quarantine: Quarantine,
    ) -> Shared {
        Shared {
            disk,
            state: Mutex::new(state),
            journal: Mutex::new(journal),
            quarantine: Mutex::new(quarantine),
            work: Condvar::new(),
            progress: Condvar::new(),
            written: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn notify_work(&self) {
        self.work.notify_one();
    }

    pub fn notify_progress(&self) {
        self.progress.notify_all();
    }

    /// Waits for work, at most `timeout`.
    pub fn await_work<'a>(
        &self,
        state: MutexGuard<'a, State>,
        timeout: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        match timeout {
            None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(timeout) => {
                self.work.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Waits for the syncer's next step, without a bound: it ends in progress or in failure.
    pub fn await_progress<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.progress.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready`, or until the deadline: false then.
    pub fn wait_until(
        &self,
        deadline: Instant,
        ready: impl Fn(&State) -> bool,
    ) -> Result<bool, SpoolError> {
        let mut state = self.state();
        loop {
            if state.failed.is_none() && ready(&state) {
                return Ok(true);
            }
            state.usable()?;
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            state =
                self.progress.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Makes a failure final.
    pub fn fail(&self, error: &SpoolError) {
        if let SpoolError::Failed(reason) = error {
            self.state().failed.get_or_insert_with(|| reason.clone());
            self.notify_work();
            self.notify_progress();
        }
    }

    /// Stores what `entry` makes of the journal; durable when this returns. A failure is final.
    pub fn record(
        &self,
        entry: impl FnOnce(&Journal) -> Result<Option<Entry>, SpoolError>,
    ) -> Result<(), SpoolError> {
        let mut journal = lock(&self.journal);
        let Some(entry) = entry(&journal)? else { return Ok(()) };
        let starts = matches!(entry, Entry::Start { .. });
        let appended = journal.append(&*self.disk, entry);
        self.count_written(journal.take_written());
        match appended {
            Ok(()) => {
                let mut state = self.state();
                state.started |= starts;
                state.follow(journal.ledger());
                Ok(())
            }
            Err(error) => {
                self.fail(&error);
                Err(error)
            }
        }
    }

    /// Stores the cursor, if it has moved, and with it the durable index; at the end (`closing`) also for the sake of
    /// the latter, which lets the next open tell a torn tail from a lost one.
    pub fn record_cursor(&self, closing: bool) -> Result<(), SpoolError> {
        self.record(|journal| {
            let (state, ledger) = (self.state(), journal.ledger());
            let news =
                state.cursor() > ledger.cursor() || closing && state.on_disk() > ledger.durable();
            let entry = Entry::Cursor { to: state.cursor(), durable: state.on_disk() };
            Ok((news && state.failed.is_none()).then_some(entry))
        })
    }

    /// Counts damage, copies its bytes, and makes those of its records that are needed a durable hole.
    pub fn declare(&self, file: Option<&SegmentFile>, damage: &Damage) -> Result<(), SpoolError> {
        lock(&self.quarantine).note(&*self.disk, file, damage);
        self.record(|_| {
            let state = self.state();
            state.usable()?;
            let lost = damage.first.max(state.cursor())..damage.end;
            Ok(open::gaps(state.holes().outside(lost), damage, "damaged:"))
        })
    }

    pub fn count_written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn count_sync(&self) {
        self.syncs.fetch_add(1, Ordering::Relaxed);
    }

    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}
