//! The books of one device.

use std::collections::{BTreeMap, BTreeSet};

use sluice_model::{Cut, Epoch, Incarnation};
use sluice_progress::{Coverage, SeqRange};
use sluice_wire::{Frame, FrameKind};

/// One device, all its incarnations.
#[derive(Debug, Default)]
pub struct DeviceAudit {
    /// What each incarnation numbered.
    pub incarnations: BTreeMap<Incarnation, IncarnationAudit>,
    /// The seq that the next accepted event gets, by the last status.
    pub next_seq: Option<(Incarnation, i64)>,
}

impl DeviceAudit {
    pub fn incarnation(&mut self, number: Incarnation) -> &mut IncarnationAudit {
        self.incarnations.entry(number).or_default()
    }
}

/// The books of one incarnation.
#[derive(Debug, Default)]
pub struct IncarnationAudit {
    /// Where its frames were read; more than one is an error, since a device changes partition only after it left.
    pub partitions: BTreeSet<i32>,
    /// One above the highest seq that anything named.
    pub dispatched: i64,
    /// What was passed on, as the reader passes it on.
    pub coverage: Coverage,
    /// The parts of frames that were passed on, in the order of `out`.
    pub parts: Vec<Part>,
    /// Seqs offered again after they were covered.
    pub replayed: i64,
    /// Copies in the dead topic by seq and checksum: a copy may stand there twice.
    pub copies: BTreeSet<(i64, i64)>,
    /// Frames that were wholly new and count dead events.
    dying: Vec<(SeqRange, i64)>,
}

/// The part of a frame that was not covered before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub first: i64,
    pub epoch: Epoch,
    pub left_at: Cut,
    pub tally: Tally,
}

/// What became of seqs. They add up to the seqs that were passed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Seqs with at least one event.
    pub emitted: i64,
    /// Seqs without an event.
    pub filtered: i64,
    /// Seqs without an event because an operator could not pass it on.
    pub dead: i64,
    /// Seqs declared lost.
    pub gap: i64,
}

impl Tally {
    pub fn seqs(&self) -> i64 {
        self.emitted + self.filtered + self.dead + self.gap
    }

    pub fn add(&mut self, other: Self) {
        self.emitted += other.emitted;
        self.filtered += other.filtered;
        self.dead += other.dead;
        self.gap += other.gap;
    }
}

impl IncarnationAudit {
    /// Notes that a seq was named: everything up to it must be accounted for.
    pub fn name_end(&mut self, last: i64) {
        self.dispatched = self.dispatched.max(last + 1);
    }

    /// Passes on what is new in a frame with a range.
    pub fn pass(&mut self, frame: &Frame<'_>) {
        let header = &frame.header;
        let (first, last) = (header.first.0, header.last.0);
        let mut seqs: Vec<i64> = frame.events.iter().map(|e| e.seq(header.first).0).collect();
        seqs.dedup();
        let range = SeqRange::new(first, last);
        let new = self.coverage.add(range, None);
        let new_seqs: i64 = new.iter().map(|part| part.len()).sum();
        self.replayed += range.len() - new_seqs;
        if header.dead > 0 && new_seqs == range.len() {
            self.dying.push((range, i64::from(header.dead)));
        }
        // Which seqs of a frame died is not told: of a frame that is new in part they are taken to lie in the new part.
        let mut dead_left = i64::from(header.dead);
        for part in new {
            let from = seqs.partition_point(|&seq| seq < part.first);
            let to = seqs.partition_point(|&seq| seq <= part.last);
            let emitted = (to - from) as i64;
            let silent = part.len() - emitted;
            let tally = if header.kind == FrameKind::Gap {
                Tally { gap: silent, ..Tally::default() }
            } else {
                let dead = dead_left.min(silent);
                dead_left -= dead;
                Tally { emitted, filtered: silent - dead, dead, gap: 0 }
            };
            self.parts.push(Part {
                first: part.first,
                epoch: header.epoch,
                left_at: header.left_at,
                tally,
            });
        }
    }

    /// Events that frames count as dead without a copy in the dead topic.
    pub fn uncopied(&self) -> i64 {
        let missing = |&(range, dead): &(SeqRange, i64)| {
            let copies = self.copies.range((range.first, i64::MIN)..=(range.last, i64::MAX));
            (dead - copies.count() as i64).max(0)
        };
        self.dying.iter().map(missing).sum()
    }

    /// Seqs that were dispatched and are not accounted for.
    pub fn lost(&self) -> i64 {
        let accounted: i64 = self.parts.iter().map(|part| part.tally.seqs()).sum();
        self.dispatched - accounted
    }
}
