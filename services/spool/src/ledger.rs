//! Who numbered which records: starts, incarnations and the runs that follow from them (DESIGN.md section 3,
//! "Identity"). Pure; `journal` stores its entries.

use crate::Index;
use crate::holes::{Holes, SpoolHole};

/// A contiguous range of records that belong to one incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The broker-given number; `None` while no start of the run has got one.
    pub incarnation: Option<i64>,
    /// The first record of the run: its seq 0.
    pub first: Index,
    /// The index behind the last record; `None` while the run may still grow.
    pub end: Option<Index>,
    /// When the newest start of the run was begun, in ms since the epoch.
    pub started_at_ms: i64,
}

impl Run {
    /// The seq of a record of this run.
    #[must_use]
    pub fn seq(&self, index: Index) -> i64 {
        index.since(self.first) as i64
    }

    /// The record that has this seq.
    #[must_use]
    pub fn index(&self, seq: i64) -> Index {
        self.first.plus(seq.unsigned_abs())
    }

    /// Whether the record belongs to this run.
    #[must_use]
    pub fn contains(&self, index: Index) -> bool {
        self.first <= index && self.end.is_none_or(|end| index < end)
    }

    /// Whether the run ended without numbering a record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end.is_some_and(|end| end <= self.first)
    }
}

/// A fact that the journal stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A start began: what is appended from `first` on is its own.
    Start {
        /// The first record that the start may number.
        first: Index,
        /// When it began, in ms since the epoch.
        started_at_ms: i64,
        /// Its name until the broker numbers it.
        nonce: String,
    },
    /// The newest start, and the starts before it that got no number, are this incarnation.
    Number {
        /// The broker-given number.
        incarnation: i64,
    },
    /// The ends of two prefixes of the log.
    Cursor {
        /// Every record below was acknowledged.
        to: Index,
        /// Every record below was on the disk.
        durable: Index,
    },
    /// Records from the cursor on that can't be read any more.
    Holes(Vec<SpoolHole>),
    /// Records of the newest start below `to` may be acknowledged to the source and dispatched while they are in
    /// memory only.
    Reserve {
        /// Behind the last one.
        to: Index,
    },
}

/// So many holes go into one entry, which is written in one piece.
pub(crate) const HOLES_PER_ENTRY: usize = 200;

/// Starts that share, or will share, one incarnation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    first: Index,
    started_at_ms: i64,
    nonce: String,
    incarnation: Option<i64>,
}

/// What the entries of a journal add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    groups: Vec<Group>,
    cursor: Index,
    durable: Index,
    reserved: Index,
    holes: Holes,
}

impl Ledger {
    /// Adds a fact.
    pub fn apply(&mut self, entry: Entry) {
        match entry {
            Entry::Start { first, started_at_ms, nonce } => {
                self.durable = self.durable.max(first);
                self.reserved = first;
                match self.groups.last_mut() {
                    Some(group) if group.incarnation.is_none() => {
                        group.started_at_ms = started_at_ms;
                        group.nonce = nonce;
                    }
                    _ => self.groups.push(Group { first, started_at_ms, nonce, incarnation: None }),
                }
            }
            Entry::Number { incarnation } => {
                if let Some(group) = self.groups.last_mut() {
                    group.incarnation.get_or_insert(incarnation);
                }
            }
            Entry::Cursor { to, durable } => {
                self.cursor = self.cursor.max(to);
                self.durable = self.durable.max(durable);
                self.holes.forget_below(self.cursor);
            }
            Entry::Holes(holes) => {
                holes.iter().for_each(|hole| self.holes.insert(hole));
                self.holes.forget_below(self.cursor);
            }
            Entry::Reserve { to } => self.reserved = to,
        }
    }

    /// Every record below was acknowledged, and this is durable.
    pub fn cursor(&self) -> Index {
        self.cursor
    }

    /// The number of the newest start; `None` if it has none.
    pub fn incarnation(&self) -> Option<i64> {
        self.groups.last().and_then(|group| group.incarnation)
    }

    /// The highest number given so far.
    pub fn newest_incarnation(&self) -> Option<i64> {
        self.groups.iter().rev().find_map(|group| group.incarnation)
    }

    /// Every record below was on the disk: if it is missing, not acknowledged and in no hole, that is damage.
    pub fn durable(&self) -> Index {
        self.durable
    }

    /// Records of the newest start below may have been accepted and dispatched.
    pub fn reserved(&self) -> Index {
        self.reserved
    }

    /// What from the cursor on can't be read, in order.
    pub fn known_holes(&self) -> &[SpoolHole] {
        self.holes.as_slice()
    }

    pub(crate) fn holes(&self) -> &Holes {
        &self.holes
    }

    /// No record below is ever read again.
    pub(crate) fn floor(&self) -> Index {
        self.holes.floor(self.cursor)
    }

    /// The runs, oldest first. The last one ends at `end`.
    pub fn runs(&self, end: Option<Index>) -> Vec<Run> {
        let ends = self.groups.iter().skip(1).map(|next| Some(next.first)).chain([end]);
        self.groups
            .iter()
            .zip(ends)
            .map(|(group, end)| Run {
                incarnation: group.incarnation,
                first: group.first,
                end,
                started_at_ms: group.started_at_ms,
            })
            .collect()
    }

    /// Forgets acknowledged runs that no later frame can name: kept are the newest one that numbered a record (the
    /// `previous` of what follows), everything behind it that has records, and the last two, which hold the newest
    /// number.
    pub fn prune(&mut self) {
        let acknowledged = self.groups.windows(2).rposition(|pair| {
            let [run, next] = pair else { return false };
            run.first < next.first && next.first <= self.cursor
        });
        self.groups.drain(..acknowledged.unwrap_or(0));
        let firsts: Vec<Index> = self.groups.iter().map(|group| group.first).collect();
        let mut at = 0;
        self.groups.retain(|group| {
            at += 1;
            at + 1 >= firsts.len() || group.first < firsts[at]
        });
    }

    /// The fewest entries that add up to this ledger.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for group in &self.groups {
            entries.push(Entry::Start {
                first: group.first,
                started_at_ms: group.started_at_ms,
                nonce: group.nonce.clone(),
            });
            entries.extend(group.incarnation.map(|incarnation| Entry::Number { incarnation }));
        }
        entries.push(Entry::Cursor { to: self.cursor, durable: self.durable });
        entries.push(Entry::Reserve { to: self.reserved });
        let holes = self.holes.as_slice().chunks(HOLES_PER_ENTRY);
        entries.extend(holes.map(|holes| Entry::Holes(holes.to_vec())));
        entries
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn start(first: u64) -> Entry {
        Entry::Start { first: Index(first), started_at_ms: 1, nonce: "n".into() }
    }

    fn ledger(entries: impl IntoIterator<Item = Entry>) -> Ledger {
        let mut ledger = Ledger::default();
        entries.into_iter().for_each(|entry| ledger.apply(entry));
        ledger
    }

    fn spans(ledger: &Ledger, end: u64) -> Vec<(Option<i64>, u64, u64)> {
        let runs = ledger.runs(Some(Index(end)));
        runs.iter()
            .map(|run| (run.incarnation, run.first.0, run.end.map_or(u64::MAX, |end| end.0)))
            .collect()
    }

    #[test]
    fn starts_without_a_number_join_the_next_numbered_one() {
        let number = |incarnation| Entry::Number { incarnation };
        let ledger = ledger([
            start(0),
            start(10),
            start(20),
            number(7),
            start(30),
            start(30),
            number(9),
            start(35),
        ]);
        assert_eq!(spans(&ledger, 40), [(Some(7), 0, 30), (Some(9), 30, 35), (None, 35, 40)]);
        assert_eq!((ledger.incarnation(), ledger.newest_incarnation()), (None, Some(9)));
    }

    #[test]
    fn the_first_number_wins() {
        let number = |incarnation| Entry::Number { incarnation };
        assert_eq!(spans(&ledger([start(0), number(7), number(8)]), 3), [(Some(7), 0, 3)]);
    }

    #[test]
    fn pruning_keeps_the_previous_of_every_run_that_is_left() {
        let number = |incarnation| Entry::Number { incarnation };
        let cursor = Entry::Cursor { to: Index(25), durable: Index(25) };
        let mut ledger = ledger([
            start(0),
            number(1), // acknowledged, and older than the one that counts
            start(10),
            number(2), // the newest acknowledged one with records
            start(20),
            number(3), // empty
            start(20),
            number(4), // partly acknowledged
            start(30),
            number(5), // empty, but the newest number
            start(30),
            cursor,
        ]);
        ledger.prune();
        assert_eq!(
            spans(&ledger, 30),
            [(Some(2), 10, 20), (Some(4), 20, 30), (Some(5), 30, 30), (None, 30, 30)]
        );
    }

    proptest! {
        #[test]
        fn entries_add_up_to_the_same_ledger(steps in prop::collection::vec((0..6_u8, 0..5_u64), 0..40)) {
            let (mut at, mut incarnation, mut entries) = (0, 0, Vec::new());
            for (kind, by) in steps {
                at += by;
                incarnation += 1;
                entries.push(match kind {
                    0 | 1 => start(at),
                    2 => Entry::Number { incarnation },
                    3 => Entry::Reserve { to: Index(at + 10) },
                    4 => Entry::Holes(vec![SpoolHole::gap(&(Index(at - by)..Index(at)), "lost")]),
                    _ => Entry::Cursor { to: Index(at - by), durable: Index(at) },
                });
            }
            let before = ledger(entries);
            prop_assert_eq!(&ledger(before.entries()), &before);

            let mut pruned = before.clone();
            pruned.prune();
            prop_assert_eq!(&ledger(pruned.entries()), &pruned);
            prop_assert_eq!(pruned.newest_incarnation(), before.newest_incarnation());
            let (kept, all) = (pruned.runs(Some(Index(at))), before.runs(Some(Index(at))));
            prop_assert_eq!(pruned.holes(), before.holes());
            let unacknowledged = |run: &&Run| !run.is_empty() && run.end > Some(before.cursor());
            prop_assert!(all.iter().filter(unacknowledged).all(|run| kept.contains(run)));
            let previous = |runs: &[Run]| {
                runs.iter().rfind(|run| !run.is_empty() && run.end <= Some(before.cursor())).copied()
            };
            prop_assert_eq!(previous(&kept), previous(&all));
        }
    }
}
