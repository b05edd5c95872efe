//! The laws of [`Coverage`] against a set of seqs.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sluice_progress::{Coverage, SeqRange};

fn adds() -> impl Strategy<Value = Vec<(SeqRange, Option<i64>)>> {
    let add = (0_i64..80, 0_i64..9, proptest::option::of(0_i64..1_000));
    let range = |(first, more, watermark)| (SeqRange::new(first, first + more), watermark);
    proptest::collection::vec(add.prop_map(range), 0..40)
}

fn seqs(ranges: &[SeqRange]) -> Vec<i64> {
    ranges.iter().flat_map(|range| range.first..=range.last).collect()
}

proptest! {
    #[test]
    fn each_seq_is_returned_by_the_first_add_of_it(adds in adds()) {
        let (mut coverage, mut model) = (Coverage::new(), BTreeSet::new());
        for (range, watermark) in adds {
            let before = coverage.frontier();
            let fresh: Vec<i64> = (range.first..=range.last).filter(|seq| !model.contains(seq)).collect();
            prop_assert_eq!(coverage.covers(range), fresh.is_empty());
            prop_assert_eq!(seqs(&coverage.add(range, watermark)), fresh);
            model.extend(range.first..=range.last);
            let frontier = (0..).find(|seq| !model.contains(seq)).unwrap_or(0) - 1;
            prop_assert_eq!(coverage.frontier(), frontier);
            prop_assert!(frontier >= before);
            let holes: Vec<i64> = (frontier + 1..=90).filter(|seq| !model.contains(seq)).collect();
            prop_assert_eq!(seqs(&coverage.holes(90)), holes);
        }
    }

    #[test]
    fn the_watermark_is_that_of_the_ranges_up_to_the_frontier(adds in adds()) {
        let mut coverage = Coverage::new();
        for (range, watermark) in &adds {
            coverage.add(*range, *watermark);
        }
        let frontier = coverage.frontier();
        let highest = adds.iter().filter(|(range, _)| range.last <= frontier).filter_map(|(_, watermark)| *watermark).max();
        prop_assert_eq!(coverage.frontier_watermark(), highest);
    }

    #[test]
    fn the_order_of_adds_does_not_matter((adds, shuffled) in adds().prop_flat_map(|adds| {
        let shuffled = Just(adds.clone()).prop_shuffle();
        (Just(adds), shuffled)
    })) {
        let all = |adds: Vec<(SeqRange, Option<i64>)>| {
            let mut coverage = Coverage::new();
            for (range, watermark) in adds {
                coverage.add(range, watermark);
            }
            coverage
        };
        prop_assert_eq!(all(adds), all(shuffled));
    }
}
