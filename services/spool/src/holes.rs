//! Holes: ranges of records from the cursor on that can't be read. Pure; the ledger keeps them.

use std::ops::Range;

use crate::Index;

/// The longest reason of a gap, in bytes; longer ones are cut.
const MAX_REASON_BYTES: usize = 200;

/// Why the records of a hole can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoleKind {
    /// They are lost, for this reason: the dispatcher declares them by a gap frame.
    Gap(String),
    /// The broker acknowledged them out of order before they were dropped: nothing is missing.
    Acknowledged,
}

/// A range of records that can't be read. It may span several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoolHole {
    /// Its first record.
    pub first: Index,
    /// The index behind its last record.
    pub end: Index,
    /// Why it can't be read.
    pub kind: HoleKind,
}

impl SpoolHole {
    /// A gap, with a reason of bounded length.
    pub(crate) fn gap(range: &Range<Index>, reason: &str) -> SpoolHole {
        let kind = HoleKind::Gap(reason[..reason.floor_char_boundary(MAX_REASON_BYTES)].to_owned());
        SpoolHole { first: range.start, end: range.end, kind }
    }
}

/// Disjoint holes in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holes(Vec<SpoolHole>);

impl Holes {
    pub fn as_slice(&self) -> &[SpoolHole] {
        &self.0
    }

    /// The first hole that ends behind `index`: it holds the index, or begins behind it.
    pub fn from(&self, index: Index) -> Option<&SpoolHole> {
        self.0.get(self.0.partition_point(|hole| hole.end <= index))
    }

    /// The index behind the last hole; 0 without holes.
    pub fn end(&self) -> Index {
        self.0.last().map_or(Index(0), |hole| hole.end)
    }

    /// Where records begin again, seen from `cursor`: there, or behind the holes that begin there.
    pub fn floor(&self, cursor: Index) -> Index {
        let mut floor = cursor;
        while let Some(hole) = self.from(floor).filter(|hole| hole.first <= floor) {
            floor = hole.end;
        }
        floor
    }

    /// The parts of `range` that lie in no hole.
    pub fn outside(&self, range: Range<Index>) -> Vec<Range<Index>> {
        let (mut parts, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let hole = self.from(at).filter(|hole| hole.first < range.end);
            let end = hole.map_or(range.end, |hole| hole.first);
            if at < end {
                parts.push(at..end);
            }
            at = hole.map_or(range.end, |hole| hole.end);
        }
        parts
    }

    /// Adds what of the hole is in none yet; neighbours of the same kind become one.
    pub fn insert(&mut self, hole: &SpoolHole) {
        for part in self.outside(hole.first..hole.end) {
            let at = self.0.partition_point(|other| other.end <= part.start);
            let kind = hole.kind.clone();
            self.0.insert(at, SpoolHole { first: part.start, end: part.end, kind });
        }
        self.0.dedup_by(|next, hole| {
            let joined = hole.end == next.first && hole.kind == next.kind;
            if joined {
                hole.end = next.end;
            }
            joined
        });
    }

    /// Forgets what lies below the cursor.
    pub fn forget_below(&mut self, cursor: Index) {
        self.0.retain(|hole| hole.end > cursor);
        if let Some(hole) = self.0.first_mut() {
            hole.first = hole.first.max(cursor);
        }
    }
}

/// The holes that dropping `range` makes, in order: what the broker has acknowledged, and gaps for the rest.
#[must_use]
pub fn dropped(range: Range<Index>, acknowledged: &[Range<Index>], reason: &str) -> Vec<SpoolHole> {
    let mut holes = Holes::default();
    for part in acknowledged {
        let (first, end) = (part.start.max(range.start), part.end.min(range.end));
        if first < end {
            holes.insert(&SpoolHole { first, end, kind: HoleKind::Acknowledged });
        }
    }
    holes.insert(&SpoolHole::gap(&range, reason));
    holes.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(first: u64, end: u64) -> Range<Index> {
        Index(first)..Index(end)
    }

    fn kind_of(holes: &[SpoolHole], index: u64) -> Option<&HoleKind> {
        let holds = |hole: &&SpoolHole| (hole.first..hole.end).contains(&Index(index));
        holes.iter().find(holds).map(|hole| &hole.kind)
    }

    #[test]
    fn long_reasons_are_cut_between_characters() {
        let hole = SpoolHole::gap(&range(0, 1), &"ä".repeat(300));
        assert_eq!(hole.kind, HoleKind::Gap("ä".repeat(100)));
    }

    proptest! {
        #[test]
        fn holes_are_a_map_from_indexes_to_the_kind_that_came_first(
            added in prop::collection::vec((0..40_u64, 0..10_u64, 0..3_u8), 0..12),
            cursor in 0..45_u64,
        ) {
            let mut holes = Holes::default();
            let mut map = vec![None; 64];
            for (first, records, kind) in added {
                let kind = match kind {
                    0 => HoleKind::Acknowledged,
                    other => HoleKind::Gap(other.to_string()),
                };
                let hole = SpoolHole { first: Index(first), end: Index(first + records), kind };
                holes.insert(&hole);
                for slot in &mut map[first as usize..(first + records) as usize] {
                    slot.get_or_insert(hole.kind.clone());
                }
            }
            for index in 0..64 {
                prop_assert_eq!(kind_of(holes.as_slice(), index), map[index as usize].as_ref());
            }
            prop_assert!(holes.as_slice().windows(2).all(|pair| pair[0].end <= pair[1].first));
            let free = (cursor..).find(|at| map.get(*at as usize).is_none_or(Option::is_none));
            prop_assert_eq!(holes.floor(Index(cursor)).0, free.expect("an end"));
            let outside = holes.outside(range(cursor, 60));
            for index in cursor..60 {
                let free = outside.iter().any(|part| part.contains(&Index(index)));
                prop_assert_eq!(free, map[index as usize].is_none());
            }
            holes.forget_below(Index(cursor));
            for index in 0..64 {
                let kind = map[index as usize].as_ref().filter(|_| index >= cursor);
                prop_assert_eq!(kind_of(holes.as_slice(), index), kind);
            }
        }

        #[test]
        fn a_drop_covers_its_range_and_no_gap_covers_what_is_acknowledged(
            first in 0..20_u64,
            records in 0..30_u64,
            acknowledged in prop::collection::vec((0..60_u64, 0..8_u64), 0..8),
        ) {
            let acknowledged: Vec<_> =
                acknowledged.into_iter().map(|(first, records)| range(first, first + records)).collect();
            let holes = dropped(range(first, first + records), &acknowledged, "full");
            for index in 0..70 {
                let inside = (first..first + records).contains(&index);
                let acked = acknowledged.iter().any(|part| part.contains(&Index(index)));
                let expected = match (inside, acked) {
                    (false, _) => None,
                    (true, true) => Some(HoleKind::Acknowledged),
                    (true, false) => Some(HoleKind::Gap("full".into())),
                };
                prop_assert_eq!(kind_of(&holes, index), expected.as_ref());
            }
        }
    }
}
