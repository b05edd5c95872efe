//! Sets of seqs as intervals, each with the highest watermark in it.

use std::collections::BTreeMap;

/// A closed, non-empty range of seqs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeqRange {
    /// The first seq.
    pub first: i64,
    /// The last seq, inclusive.
    pub last: i64,
}

impl SeqRange {
    /// The range `first..=last`; the caller sees to it that it is not empty.
    #[must_use]
    pub const fn new(first: i64, last: i64) -> Self {
        debug_assert!(first <= last);
        Self { first, last }
    }

    /// The number of seqs in it.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // a range is never empty
    pub const fn len(&self) -> i64 {
        self.last - self.first + 1
    }
}

/// One stretch of covered seqs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    last: i64,
    watermark: Option<i64>,
}

/// The union of the ranges passed on of one incarnation, as a TCP receiver keeps it with selective acknowledgements.
///
/// Laws (tested): `add` is idempotent; the order of adds does not matter to the result; each seq is returned by exactly one
/// `add`; the frontier never falls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    base: i64,
    intervals: BTreeMap<i64, Interval>,
}

impl Coverage {
    /// Nothing covered, the frontier before seq 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The first seq that is waited for: 0, but where reading started behind a trimmed prefix.
    #[must_use]
    pub const fn base(&self) -> i64 {
        self.base
    }

    pub(crate) const fn set_base(&mut self, base: i64) {
        self.base = base;
    }

    /// Covers `range`, in which `watermark` was justified, and returns the parts not covered before, ascending.
    pub fn add(&mut self, range: SeqRange, watermark: Option<i64>) -> Vec<SeqRange> {
        let uncovered = self.uncovered(range);
        let (mut merged, mut highest) = (range, watermark);
        let touching: Vec<i64> =
            self.overlapping(range.first - 1, range.last + 1).map(|(first, _)| first).collect();
        for first in touching {
            if let Some(interval) = self.intervals.remove(&first) {
                merged = SeqRange::new(merged.first.min(first), merged.last.max(interval.last));
                highest = highest.max(interval.watermark);
            }
        }
        self.intervals.insert(merged.first, Interval { last: merged.last, watermark: highest });
        uncovered
    }

    /// The parts of `range` that are not covered, ascending.
    #[must_use]
    pub fn uncovered(&self, range: SeqRange) -> Vec<SeqRange> {
        let mut parts = Vec::new();
        let mut next = range.first;
        for (first, interval) in self.overlapping(range.first, range.last) {
            if next < first {
                parts.push(SeqRange::new(next, first - 1));
            }
            next = next.max(interval.last + 1);
        }
        if next <= range.last {
            parts.push(SeqRange::new(next, range.last));
        }
        parts
    }

    /// Whether every seq of `range` is covered.
    #[must_use]
    pub fn covers(&self, range: SeqRange) -> bool {
        self.overlapping(range.first, range.first).any(|(_, interval)| interval.last >= range.last)
    }

    /// The end of the contiguous part from the base on; `base - 1` where the base is not covered.
    #[must_use]
    pub fn frontier(&self) -> i64 {
        let at_base = self.intervals.range(..=self.base).next_back();
        at_base.map_or(self.base - 1, |(_, interval)| interval.last.max(self.base - 1))
    }

    /// The highest watermark added with a range of the interval that ends at the frontier.
    #[must_use]
    pub fn frontier_watermark(&self) -> Option<i64> {
        let (_, interval) = self.intervals.range(..=self.base).next_back()?;
        interval.watermark.filter(|_| interval.last >= self.base - 1)
    }

    /// The highest watermark of all intervals.
    #[must_use]
    pub fn highest_watermark(&self) -> Option<i64> {
        self.intervals.values().filter_map(|interval| interval.watermark).max()
    }

    /// The highest covered seq.
    #[must_use]
    pub fn highest(&self) -> Option<i64> {
        self.intervals.values().next_back().map(|interval| interval.last)
    }

    /// What is missing from the frontier up to `last`, ascending.
    #[must_use]
    pub fn holes(&self, last: i64) -> Vec<SeqRange> {
        let frontier = self.frontier();
        if frontier < last { self.uncovered(SeqRange::new(frontier + 1, last)) } else { Vec::new() }
    }

    /// The number of intervals: what this coverage costs.
    #[must_use]
    pub fn interval_count(&self) -> usize {
        self.intervals.len()
    }

    /// The intervals with their watermarks, ascending.
    pub fn intervals(&self) -> impl Iterator<Item = (SeqRange, Option<i64>)> + '_ {
        self.intervals
            .iter()
            .map(|(&first, interval)| (SeqRange::new(first, interval.last), interval.watermark))
    }

    /// The oldest hole in front of an interval.
    #[must_use]
    pub fn oldest_hole(&self) -> Option<SeqRange> {
        let mut intervals = self.intervals.iter();
        let (&first, interval) = intervals.next()?;
        if first > self.base {
            Some(SeqRange::new(self.base, first - 1))
        } else {
            intervals.next().map(|(&next, _)| SeqRange::new(interval.last + 1, next - 1))
        }
    }

    fn overlapping(&self, first: i64, last: i64) -> impl Iterator<Item = (i64, Interval)> + '_ {
        let before = self
            .intervals
            .range(..=first)
            .next_back()
            .filter(|(_, interval)| interval.last >= first);
        let from = before.map_or(first, |(&start, _)| start);
        self.intervals.range(from..=last).map(|(&start, &interval)| (start, interval))
    }
}
