//! The spool: a device's bounded, crash-safe log of source events that the broker has not acknowledged yet
//! (DESIGN.md section 3, "Delivery" and "Identity").
//!
//! The log is a dense sequence of records, numbered by [`Index`] from 0 for as long as the spool directory lives.
//! Three threads meet here: the *source* appends and never waits for the disk while the unsynced buffer has room;
//! the spool's own *syncer* writes and fsyncs whatever has been appended in one group, and then publishes it as
//! durable; the *dispatcher* reads durable records, from memory while they are recent and from the segment files
//! otherwise, and advances the cursor as the broker acknowledges them.
//!
//! On disk a spool is a directory with
//! - segment files, each a chain of checksummed [blocks](crate::Spool#on-disk), one block per group commit or
//!   256 KiB, named by the index of their first record;
//! - a journal of starts, incarnations and the cursor, which outlives the segments;
//! - a lock file, held while the spool is open.
//!
//! Promises: a record below [`Spool::durable`] survives a power loss until it is acknowledged; what was never
//! durable may vanish, from the end only; the cursor is durable before a segment is unlinked; damage is reported
//! by file and offset and never skipped; a failed fsync is final.

mod batch;
mod block;
mod disk;
mod error;
mod journal;
mod ledger;
mod open;
mod reader;
mod segment;
mod shared;
mod spool;
mod state;
mod syncer;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use batch::Batch;
pub use disk::{Directory, Disk, DiskFile};
pub use error::{AppendError, Full, SpoolError};
pub use ledger::{Entry, Ledger, Run};
pub use spool::Spool;

/// The largest value that a record may hold, in bytes, where the segment size allows it. Larger events are dead
/// letters (DESIGN.md section 3, "Delivery": one event may have up to 7 MiB).
pub const MAX_VALUE_BYTES: usize = 8 << 20;

/// The place of a record in the log: dense, from 0, never reset while the spool directory lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index(pub u64);

impl Index {
    /// The index `records` further on.
    #[must_use]
    pub fn plus(self, records: u64) -> Index {
        Index(self.0 + records)
    }

    /// How many records lie between `earlier` and this index; 0 if `earlier` is not earlier.
    #[must_use]
    pub fn since(self, earlier: Index) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a spool lives and its bounds.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory; created if absent.
    pub dir: PathBuf,
    /// Bound of the log in bytes: segment files and what waits to be written. The journal (64 KiB) is not counted.
    pub max_bytes: u64,
    /// A segment file is at most this long; the unit in which space comes back. At most a quarter of `max_bytes`
    /// is used, so that room always returns once everything is acknowledged.
    pub segment_bytes: u64,
    /// Appends wait for the disk only while more than this is not yet durable.
    pub unsynced_bytes: usize,
    /// How much of the durable log is kept in memory for readers.
    pub recent_bytes: usize,
    /// A block grows to about this size; what a reader of old records holds in memory.
    pub block_bytes: usize,
    /// How long to wait before writing again after the disk was full.
    pub disk_retry: Duration,
}

impl Options {
    /// The defaults (1 GiB in segments of 16 MiB) for a spool in `dir`.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Options {
        Options {
            dir: dir.into(),
            max_bytes: 1 << 30,
            segment_bytes: 16 << 20,
            unsynced_bytes: 8 << 20,
            recent_bytes: 8 << 20,
            block_bytes: 256 << 10,
            disk_retry: Duration::from_secs(1),
        }
    }
}
