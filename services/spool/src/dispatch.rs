//! What the dispatcher does with a spool: reading, acknowledging, dropping, and what there is to report.

use std::ops::Range;

use crate::batch::Limits;
use crate::holes;
use crate::ledger::{Entry, HOLES_PER_ENTRY};
use crate::shared::lock;
use crate::{Batch, FullPolicy, Index, Mode, Spool, SpoolError, SpoolHole};

/// The reason of gaps that dropping makes.
const DROPPED: &str = "dropped: the spool was full";

impl Spool {
    /// Reads durable records from `from` on into `batch`, up to the limits (of records, and of bytes of values) and
    /// the next hole, but at least one if there is one. Returns how many; 0 at the end of what is durable. Meant for
    /// one dispatcher: reads that follow each other are cheap. Damage that is met becomes a hole, durably.
    ///
    /// # Errors
    /// [`SpoolError::Gone`] below the cursor; [`SpoolError::Hole`] if `from` lies in a hole.
    pub fn read(
        &self,
        from: Index,
        limit_records: usize,
        limit_bytes: usize,
        batch: &mut Batch,
    ) -> Result<usize, SpoolError> {
        let limits = Limits { records: limit_records, bytes: limit_bytes };
        lock(&self.inner.reader).read(&self.inner.shared, from, &limits, batch)?;
        Ok(batch.len())
    }

    /// Every record below is acknowledged by the broker.
    #[must_use]
    pub fn cursor(&self) -> Index {
        self.inner.shared.state().cursor()
    }

    /// Advances the cursor, over holes too; a lower one changes nothing. Segments that it frees are removed in the
    /// background, the cursor being made durable first.
    ///
    /// # Errors
    /// [`SpoolError::Misuse`] beyond what is durable; the spool has failed or is closed.
    pub fn advance_cursor(&self, to: Index) -> Result<(), SpoolError> {
        let mut state = self.inner.shared.state();
        state.usable()?;
        let free = state.advance_cursor(to)?;
        drop(state);
        if free {
            self.inner.shared.notify_work();
        }
        // In memory, room comes at once.
        self.inner.shared.notify_progress();
        Ok(())
    }

    /// What from the cursor on can't be read, in order. Durable before it is told; forgotten as the cursor passes.
    #[must_use]
    pub fn holes(&self) -> Vec<SpoolHole> {
        self.inner.shared.state().holes().as_slice().to_vec()
    }

    /// Tells [`Mode::Spill`](crate::Mode::Spill) whether the uplink works; it is taken to work until told otherwise.
    /// While it does not, records are written to the disk.
    pub fn set_uplink(&self, up: bool) {
        self.inner.shared.state().uplink = up;
        self.inner.shared.notify_work();
    }

    /// Under [`FullPolicy::DropOldest`](crate::FullPolicy::DropOldest), while a record was refused for want of room
    /// and none comes by itself: up to where the oldest records should be dropped (whole segments, or blocks in
    /// memory). The dispatcher then discards its producer and calls [`Spool::drop_oldest`].
    #[must_use]
    pub fn wants_drop(&self) -> Option<Index> {
        self.inner.shared.state().wants_drop()
    }

    /// Drops the records from the cursor to `to`: those in `acknowledged`, which the broker has acknowledged out of
    /// order, become [acknowledged holes](crate::HoleKind::Acknowledged), the rest gaps. Cursor and holes are durable
    /// when this returns, and only then files are removed and appends go on.
    ///
    /// # Errors
    /// [`SpoolError::Misuse`] under another policy or beyond what is durable; the disk is full or read-only, and then
    /// not all was dropped; the spool has failed or is closed.
    pub fn drop_oldest(&self, to: Index, acknowledged: &[Range<Index>]) -> Result<(), SpoolError> {
        let shared = &self.inner.shared;
        let state = shared.state();
        state.usable()?;
        if state.bounds.full_policy != FullPolicy::DropOldest {
            return Err(SpoolError::Misuse("drop_oldest under another full-policy"));
        }
        if to > state.durable() {
            return Err(SpoolError::Misuse("only what is durable can be dropped"));
        }
        let range = state.cursor()..to;
        drop(state);
        shared.record_cursor(false)?;
        for holes in holes::dropped(range, acknowledged, DROPPED).chunks(HOLES_PER_ENTRY) {
            shared.record(|_| Ok(Some(Entry::Holes(holes.to_vec()))))?;
        }
        shared.state().hurry = true;
        shared.notify_work();
        shared.notify_progress();
        Ok(())
    }

    /// Makes the cursor durable, if it has moved: bounds what a restart sends again. To be called about once a
    /// second.
    ///
    /// # Errors
    /// The disk is full, or the spool has failed or is closed.
    pub fn persist_cursor(&self) -> Result<(), SpoolError> {
        self.inner.shared.state().usable()?;
        self.inner.shared.record_cursor(false)
    }

    /// Bytes of the log: segment files and what waits to be written. Never above `max_bytes`.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.inner.shared.state().bytes()
    }

    /// Bytes of records held in memory.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let readers = lock(&self.inner.reader).held_bytes() + lock(&self.inner.oldest).held_bytes();
        self.inner.shared.state().held_bytes() + readers
    }

    /// Bytes written to the disk since the spool was opened: the wear of an SD card.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.inner.shared.written()
    }

    /// How much of a torn tail was cut off when the spool was opened, in bytes.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        self.inner.torn_bytes
    }

    /// Bytes written for each event that was appended since the spool was opened, journal included (0 before the
    /// first): what the spool asks of an SD card. The file system adds its own, per [sync](Spool::syncs).
    #[must_use]
    pub fn written_bytes_per_event(&self) -> f64 {
        match self.inner.shared.state().appended {
            0 => 0.0,
            events => self.bytes_written() as f64 / events as f64,
        }
    }

    /// How often records were synced since the spool was opened.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.inner.shared.syncs()
    }

    /// What a crash now would lose of accepted records, in bytes: those in memory only. 0 in
    /// [`Mode::Disk`](crate::Mode::Disk), where they are not accepted yet.
    #[must_use]
    pub fn at_risk_bytes(&self) -> u64 {
        let state = self.inner.shared.state();
        if state.bounds.mode == Mode::Disk { 0 } else { state.pending_bytes() }
    }

    /// How many records the last start may have accepted and lost, at most, because they were in memory only when it
    /// ended: exact after a clean end, else rounded up by a reservation (65,536 records).
    #[must_use]
    pub fn lost_records(&self) -> u64 {
        self.inner.lost_records
    }

    /// How often damage was found since the spool was opened, also among acknowledged records, which costs nothing.
    #[must_use]
    pub fn damaged_blocks(&self) -> u64 {
        lock(&self.inner.shared.quarantine).count()
    }

    /// When the oldest record that is durable and not acknowledged was accepted, in ms since the epoch.
    ///
    /// # Errors
    /// As [`Spool::read`].
    pub fn oldest_accepted_at_ms(&self) -> Result<Option<i64>, SpoolError> {
        let mut batch = Batch::new();
        let mut reader = lock(&self.inner.oldest);
        let limits = Limits { records: 1, bytes: 0 };
        loop {
            let oldest = self.inner.shared.state().floor();
            match reader.read(&self.inner.shared, oldest, &limits, &mut batch) {
                Err(SpoolError::Gone { .. } | SpoolError::Hole(_))
                    if self.inner.shared.state().floor() > oldest => {}
                read => return read.map(|()| (!batch.is_empty()).then(|| batch.accepted_at_ms(0))),
            }
        }
    }
}
