//! What a sidecar has done.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts since the sidecar was made; they only grow.
#[derive(Debug, Default)]
pub struct Counters {
    starts: AtomicU64,
    frames: AtomicU64,
    events: AtomicU64,
    poison: AtomicU64,
    busy_ns: AtomicU64,
}

impl Counters {
    /// Processes started; all but the first in a row were respawns.
    pub fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// Exchanges that were answered: frames and parts of frames.
    pub fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Events in them.
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Events that killed the process each time.
    pub fn poison(&self) -> u64 {
        self.poison.load(Ordering::Relaxed)
    }

    /// Time from request to answer, nanoseconds.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns.load(Ordering::Relaxed)
    }

    pub(super) fn started(&self) {
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn answered(&self, events: usize, took: Duration) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(events as u64, Ordering::Relaxed);
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.busy_ns.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub(super) fn poisoned(&self) {
        self.poison.fetch_add(1, Ordering::Relaxed);
    }
}
