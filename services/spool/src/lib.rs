//! The spool: a device's bounded, crash-safe log of source events that the broker has not acknowledged yet
//! (DESIGN.md section 3, "Delivery" and "Identity").
//!
//! The log is a dense sequence of records, numbered by [`Index`]. Three threads meet here: the *source* appends and
//! never waits for the disk while the buffers have room; the spool's own *syncer* writes and fsyncs records in groups;
//! the *dispatcher* reads records that are durable, from memory while they are recent and from the segment files
//! otherwise, and advances the cursor as the broker acknowledges them.
//!
//! On disk a spool is a directory with
//! - segment files, each a chain of checksummed [blocks](crate::Spool#on-disk), one block per group commit or
//!   256 KiB, named by the index of their first record;
//! - a journal of starts, incarnations, the cursor, holes and reservations, which outlives the segments;
//! - `quarantine/`, with copies of damaged bytes for people;
//! - a lock file, held while the spool is open.
//!
//! # Modes
//! In [`Mode::Disk`] a record is [durable](Spool::durable) when it is fsynced: it survives a power loss until it is
//! acknowledged. What was never durable may vanish, from the end only.
//!
//! In [`Mode::Spill`] and [`Mode::Memory`] a record is called durable, may be dispatched and its source be
//! acknowledged, while it is in memory only; [`Mode::Spill`] writes it while the uplink is down or memory runs full,
//! and at a clean end. A crash loses at most what is [in memory only](Spool::at_risk_bytes) and not acknowledged,
//! never more than [`Options::memory_bytes`]; the next start [says how much](Spool::lost_records). The facts of the
//! journal are fsynced as ever.
//!
//! *Numbers are never used twice* (DESIGN.md section 3, "Identity"), though a crash of these modes lets an index be
//! used again, since the log then goes on where what was recovered ends:
//! - A seq counts from the first record of its run, and a start that finds a numbered run begins a new one. So the
//!   same index gets another incarnation, and the pair of incarnation and seq is new. A start without a number adds
//!   to a run of which nothing was dispatched.
//! - The crashed run ends at the end of what was recovered or acknowledged, whichever is higher: every record below
//!   is replayed, is at the broker, or is a hole, so that a reader which waits for this end (the `previous` of later
//!   frames) always comes to it. A higher end, that of what may have been dispatched, would hold the reader for
//!   records that nobody has any more, or need a gap that could swallow what the broker did acknowledge.
//! - What was dispatched behind that end and reached the broker is passed on once, by its own numbers (counted late
//!   if the next run has opened before); what did not is lost, as said.
//! - A source that takes its place from [`Spool::next_index`], or repeats what is not durable, sends the tail of the
//!   crashed run again, as new events. Where that matters the mode is [`Mode::Disk`].
//! - Records become durable in these modes only below a *reservation* in the journal, which is fsynced ahead in steps
//!   of 65,536 records. It bounds what can have been accepted and dispatched and is missing now.
//!
//! # Holes
//! A record from the cursor on is either read back right or lies in a [hole](Spool::holes), which is durable before
//! anyone is told:
//! - *Dropped* ([`FullPolicy::DropOldest`]): the spool [asks](Spool::wants_drop), the dispatcher
//!   [drops](Spool::drop_oldest). Cursor, gaps and what the broker acknowledged out of order are fsynced before a file
//!   is unlinked, so that no gap covers an acknowledged record, whenever a crash comes.
//! - *Damaged*: a block (of a group commit, or 256 KiB) whose checksum is wrong is a gap; where its header is wrong,
//!   up to the next good block, or to the end of the segment. So are missing files, and sectors that can't be read.
//!   Among acknowledged records damage is only [counted](Spool::damaged_blocks). Out-of-order acknowledgements are
//!   not known here but for those given to a drop, so that a damage gap may cover them.
//! - A torn tail is no hole: it was never durable. It is told from damage by what the journal and later blocks call
//!   durable. Damage to the last blocks before a crash, behind the last journaled cursor, can't be told from it.
//!
//! # Disks
//! The cursor is durable before a segment is unlinked. A full or read-only disk refuses records, by the
//! [full-policy](Options::full_policy), and is tried again. Any other failed write and every failed fsync is final:
//! what the disk holds is unknown until the spool is opened again. A damaged journal is an error, since without its
//! facts numbers could be used twice; deleting the whole directory makes a new, empty spool.

mod batch;
mod block;
mod disk;
mod dispatch;
mod error;
mod holes;
mod journal;
mod ledger;
mod memory;
mod open;
mod options;
mod quarantine;
mod reader;
mod segment;
mod shared;
mod spool;
mod state;
mod syncer;

use std::fmt;

pub use batch::Batch;
pub use disk::{Directory, Disk, DiskFile};
pub use error::{AppendError, Full, SpoolError};
pub use holes::{HoleKind, SpoolHole, dropped};
pub use ledger::{Entry, Ledger, Run};
pub use options::{FullPolicy, Mode, Options};
pub use spool::Spool;

/// The largest value that a record may hold, in bytes, where the segment size allows it. Larger events are dead
/// letters (DESIGN.md section 3, "Delivery": one event may have up to 7 MiB).
pub const MAX_VALUE_BYTES: usize = 8 << 20;

/// The place of a record in the log: dense, from 0, while the spool directory lives. An index is given again only
/// where a crash lost its record; see the crate documentation.
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
