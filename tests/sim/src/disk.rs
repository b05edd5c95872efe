//! The disk of a spool, as `sluice-spool` promises it: a durable prefix, a journal of facts, segments that are freed.

use std::ops::Range;

use sluice_model::PlanInForce;
use sluice_spool::{self as spool, Entry, Index, Ledger, Run, SpoolHole};

use crate::dice::Dice;
use crate::events::EventId;

/// Records in a segment.
const SEGMENT: u64 = 8;

/// A spool and what lies beside it.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    ledger: Ledger,
    /// A fact that was written and not synced: only a mutation leaves one.
    unsynced: Option<Entry>,
    /// Every record that was ever appended and not lost, by index.
    records: Vec<EventId>,
    /// Records are safe in memory: a crash may lose them.
    spill: bool,
    /// Records below are as safe as was promised.
    durable: u64,
    /// When spilling: records below are on the disk.
    written: u64,
    /// Records below are deleted.
    freed: u64,
    /// The copy of the plan in force.
    pub plan: Option<PlanInForce>,
}

impl Disk {
    /// An empty disk, of a spool that keeps records in memory if it is to `spill`.
    #[must_use]
    pub fn new(spill: bool) -> Self {
        Self { spill, ..Self::default() }
    }

    /// Begins a start. Returns the cursor, and what can't be read behind it.
    pub fn begin_start(
        &mut self,
        nonce: &str,
        now_ms: i64,
        marked: bool,
    ) -> (Index, Vec<SpoolHole>) {
        // What a start finds was on the disk: after a clean end, all of it.
        self.written = self.records.len() as u64;
        let next = self.next_index();
        if marked || self.newest_incarnation().is_none() {
            let nonce = nonce.to_owned();
            self.record(Entry::Start { first: next, started_at_ms: now_ms, nonce });
        }
        let end = Index(self.freed);
        let first = self.floor();
        if end > first {
            // Segments are gone that the durable cursor has not passed: damage.
            let kind = spool::HoleKind::Gap("missing".into());
            self.record(Entry::Holes(vec![SpoolHole { first, end, kind }]));
        }
        (self.ledger.cursor(), self.holes())
    }

    /// Drops the oldest records, up to `to`; `acknowledged` is what the broker has of them out of order.
    pub fn drop_oldest(&mut self, to: Index, cursor: Index, acknowledged: &[Range<Index>]) {
        self.persist_cursor(cursor);
        self.record(Entry::Holes(spool::dropped(cursor..to, acknowledged, "full")));
        self.freed = self.freed.max(to.0);
    }

    /// What can't be read from the cursor on, as the state machine takes it.
    #[must_use]
    pub fn holes(&self) -> Vec<SpoolHole> {
        self.ledger.known_holes().to_vec()
    }

    /// Where records can be read again, seen from the cursor.
    #[must_use]
    pub fn floor(&self) -> Index {
        self.ledger.known_holes().iter().fold(self.ledger.cursor(), |floor, hole| {
            if hole.first <= floor { floor.max(hole.end) } else { floor }
        })
    }

    /// Whether a record was given up.
    #[must_use]
    pub fn is_gap(&self, index: u64) -> bool {
        self.ledger.known_holes().iter().any(|hole| {
            matches!(hole.kind, spool::HoleKind::Gap(_))
                && (hole.first.0..hole.end.0).contains(&index)
        })
    }

    /// Records that take room.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.next_index().since(self.floor())
    }

    /// Makes a fact durable.
    pub fn record(&mut self, entry: Entry) {
        if let Some(unsynced) = self.unsynced.take() {
            self.ledger.apply(unsynced);
        }
        self.ledger.apply(entry);
    }

    /// Writes the number of a start; `durably`, as it should be.
    pub fn number_start(&mut self, incarnation: i64, durably: bool) -> Vec<Run> {
        let entry = Entry::Number { incarnation };
        let mut written = self.ledger.clone();
        written.apply(entry.clone());
        if durably {
            self.record(entry);
            self.ledger.prune();
        } else {
            self.unsynced = Some(entry);
        }
        written.runs(None)
    }

    /// The runs, the last one open.
    #[must_use]
    pub fn runs(&self) -> Vec<Run> {
        self.ledger.runs(None)
    }

    /// The highest number given so far.
    #[must_use]
    pub fn newest_incarnation(&self) -> Option<i64> {
        self.ledger.newest_incarnation()
    }

    /// Appends a record. It is not durable.
    pub fn append(&mut self, id: EventId) {
        self.records.push(id);
    }

    /// The index that the next record gets.
    #[must_use]
    pub fn next_index(&self) -> Index {
        Index(self.records.len() as u64)
    }

    /// Every record below is on the disk.
    #[must_use]
    pub fn durable(&self) -> Index {
        Index(self.durable)
    }

    /// Every record below is acknowledged, and this is durable.
    #[must_use]
    pub fn cursor(&self) -> Index {
        self.ledger.cursor()
    }

    /// Makes all records below `to` durable; returns those that were not.
    pub fn sync(&mut self, to: Index) -> &[EventId] {
        let from = self.durable;
        self.durable = to.0.clamp(from, self.records.len() as u64);
        &self.records[place(from)..place(self.durable)]
    }

    /// Records from `first` to `end`.
    ///
    /// # Panics
    /// When they are not there.
    #[must_use]
    pub fn read(&self, first: Index, end: Index) -> &[EventId] {
        assert!(first.0 >= self.freed && end.0 <= self.durable, "read of what is not there");
        &self.records[place(first.0)..place(end.0)]
    }

    /// All records, also those that were acknowledged long ago.
    #[must_use]
    pub fn history(&self) -> &[EventId] {
        &self.records
    }

    /// Makes the cursor durable.
    pub fn persist_cursor(&mut self, to: Index) {
        self.record(Entry::Cursor { to, durable: self.durable() });
    }

    /// Deletes the segments that lie below `to`.
    pub fn free(&mut self, to: Index) {
        self.freed = self.freed.max(to.0 / SEGMENT * SEGMENT);
    }

    /// When spilling: writes what is in memory.
    pub fn write(&mut self) {
        self.written = self.durable;
    }

    /// Records below survive a crash.
    fn on_disk(&self) -> u64 {
        let holes_end = self.ledger.known_holes().last().map_or(0, |hole| hole.end.0);
        let known = self.ledger.cursor().0.max(holes_end);
        if self.spill { self.written.max(known) } else { self.durable }
    }

    /// The power is gone: of what was not on the disk a part is left, from the front. Returns what was called safe and
    /// is lost.
    pub fn crash(&mut self, dice: &mut Dice) -> Vec<EventId> {
        self.unsynced = None;
        if self.spill {
            let lost = self.records.split_off(place(self.on_disk()).min(self.records.len()));
            self.durable = self.records.len() as u64;
            self.written = self.durable;
            return lost;
        }
        let pending = i64::try_from(self.records.len()).unwrap_or(0)
            - i64::try_from(self.durable).unwrap_or(0);
        self.durable += dice.within(0, pending).unsigned_abs();
        self.records.truncate(place(self.durable));
        Vec::new()
    }

    /// The records that have no number yet.
    #[must_use]
    pub fn unnumbered(&self) -> &[EventId] {
        let runs = self.ledger.runs(None);
        let first = runs.iter().find(|run| run.incarnation.is_none()).map(|run| run.first.0);
        first.map_or(&[], |first| &self.records[place(first)..place(self.on_disk())])
    }

    /// What a copy made now holds.
    #[must_use]
    pub fn copy(&self) -> Self {
        let mut copy = self.clone();
        copy.records.truncate(place(self.on_disk()));
        (copy.durable, copy.written) = (self.on_disk(), self.on_disk());
        copy.unsynced = None;
        copy
    }
}

fn place(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}
