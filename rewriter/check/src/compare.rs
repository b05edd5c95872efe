//! Two runs side by side: the first place where they differ.

use std::collections::BTreeMap;

use serde::Serialize;

/// The first difference between what was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which record, from 0; in bags the first in the expected order, or the number of expected ones.
    pub at: usize,
    /// What Flink alone gave; none where it gave no more.
    pub unsplit: Option<String>,
    /// What came through the split; none where nothing more came.
    pub split: Option<String>,
}

/// Compares two sequences, in order.
pub fn sequences<T: PartialEq>(
    unsplit: &[T],
    split: &[T],
    show: impl Fn(&T) -> String,
) -> Option<Difference> {
    let longest = unsplit.len().max(split.len());
    let at = (0..longest).find(|&at| unsplit.get(at) != split.get(at))?;
    Some(Difference { at, unsplit: unsplit.get(at).map(&show), split: split.get(at).map(&show) })
}

/// Compares two bags: the order is of no matter.
pub fn bags<T: Ord>(unsplit: &[T], split: &[T], show: impl Fn(&T) -> String) -> Option<Difference> {
    let mut counts: BTreeMap<&T, i64> = BTreeMap::new();
    unsplit.iter().for_each(|record| *counts.entry(record).or_default() += 1);
    split.iter().for_each(|record| *counts.entry(record).or_default() -= 1);
    let missing = unsplit.iter().position(|record| counts[record] > 0);
    let surplus = split.iter().find(|record| counts[record] < 0);
    if missing.is_none() && surplus.is_none() {
        return None;
    }
    let missing_text = missing.map(|at| show(&unsplit[at]));
    let at = missing.unwrap_or(unsplit.len());
    Some(Difference { at, unsplit: missing_text, split: surplus.map(show) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn show(record: &i32) -> String {
        record.to_string()
    }

    #[test]
    fn the_first_difference_is_named_with_both_sides() {
        let difference = sequences(&[1, 2, 3], &[1, 4, 3], show).unwrap();
        assert_eq!(difference.at, 1);
        assert_eq!(
            (difference.unsplit.as_deref(), difference.split.as_deref()),
            (Some("2"), Some("4"))
        );
        let difference = sequences(&[1], &[1, 5], show).unwrap();
        assert_eq!(
            (difference.at, difference.unsplit, difference.split),
            (1, None, Some("5".into()))
        );
    }

    #[test]
    fn bags_count() {
        assert_eq!(bags(&[1, 2, 2], &[2, 1, 2], show), None);
        let difference = bags(&[1, 2, 2], &[2, 1, 3], show).unwrap();
        assert_eq!(
            (difference.unsplit.as_deref(), difference.split.as_deref()),
            (Some("2"), Some("3"))
        );
        assert!(bags(&[1], &[1, 1], show).is_some());
    }

    proptest! {
        #[test]
        fn equal_sequences_are_equal_bags(mut one: Vec<i32>, at: usize) {
            let other = one.clone();
            prop_assert_eq!(sequences(&one, &other, show), None);
            if !one.is_empty() {
                let by = at % one.len();
                one.rotate_left(by);
            }
            prop_assert_eq!(bags(&one, &other, show), None);
        }
    }
}
