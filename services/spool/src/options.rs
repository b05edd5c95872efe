//! How a spool is set up: where it lives, how safe an accepted record is, what happens when it is full, its bounds.

use std::path::PathBuf;
use std::time::Duration;

/// When a record counts as safe, so that its source may be acknowledged and the record may be dispatched
/// (DESIGN.md section 3, "Delivery"). What each costs and risks stands in the [crate documentation](crate#modes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Once it is on the disk (fsynced, in groups).
    #[default]
    Disk,
    /// At once, in memory. Written to the disk only while the uplink is down or memory runs full.
    Spill,
    /// At once, in memory. Records are never written.
    Memory,
}

/// What happens when a record finds no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FullPolicy {
    /// The source waits until the broker has acknowledged enough.
    #[default]
    Block,
    /// The source waits until the dispatcher has dropped the oldest records: see [`crate::Spool::wants_drop`].
    DropOldest,
}

/// Where a spool lives, its promises and its bounds.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory; created if absent.
    pub dir: PathBuf,
    /// When a record counts as safe.
    pub mode: Mode,
    /// What happens when a record finds no room.
    pub full_policy: FullPolicy,
    /// Bound of the log in bytes: segment files and what waits to be written. The journal (64 KiB, more with
    /// hundreds of holes) and the quarantine are not counted. Without effect in [`Mode::Memory`].
    pub max_bytes: u64,
    /// Bound of the records that are in memory only, in bytes, in [`Mode::Spill`] (which begins to write when half
    /// of it is used, so that appends seldom wait; at most half of `max_bytes` is used) and [`Mode::Memory`].
    pub memory_bytes: u64,
    /// A segment file is at most this long; the unit in which space comes back. At most a quarter of `max_bytes`
    /// is used, so that room always returns once everything is acknowledged.
    pub segment_bytes: u64,
    /// In [`Mode::Disk`], appends wait for the disk only while more than this is not yet durable.
    pub unsynced_bytes: usize,
    /// How much of what is on the disk is kept in memory for readers too.
    pub recent_bytes: usize,
    /// A block grows to about this size; what a reader of old records holds in memory, and what one damaged byte
    /// costs.
    pub block_bytes: usize,
    /// Fsyncs of records begin at least this far apart, unless an append waits for one. A record after a pause is
    /// synced at once; only a stream of them waits. An fsync costs an SD card some 16 KiB of writes (a page of
    /// data, and the file system's own log) and itself takes 2 to 20 ms there, so that 10 ms bound the wear to about
    /// 1.6 MB/s and add less to an event's way than the 20 ms linger of its frame.
    pub min_sync_interval: Duration,
    /// How long to wait before writing again after the disk was full or read-only.
    pub disk_retry: Duration,
    /// Bound of the copies of damaged bytes in `quarantine/`, together. What goes beyond is not copied.
    pub quarantine_bytes: u64,
}

impl Options {
    /// The defaults (on the disk, 1 GiB in segments of 16 MiB, then block) for a spool in `dir`.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Options {
        Options {
            dir: dir.into(),
            mode: Mode::Disk,
            full_policy: FullPolicy::Block,
            max_bytes: 1 << 30,
            memory_bytes: 32 << 20,
            segment_bytes: 16 << 20,
            unsynced_bytes: 8 << 20,
            recent_bytes: 8 << 20,
            block_bytes: 256 << 10,
            min_sync_interval: Duration::from_millis(10),
            disk_retry: Duration::from_secs(1),
            quarantine_bytes: 16 << 20,
        }
    }
}
