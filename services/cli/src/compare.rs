//! Comparing two result topics as multisets of lines: what the residual job wrote beside what the unsplit job wrote.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many differing lines a comparison names.
pub const SHOWN_DIFFERENCES: usize = 10;

/// The lines of one topic, each with how often it stands there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    counts: BTreeMap<Vec<u8>, u64>,
}

impl Lines {
    /// Counts a line.
    pub fn add(&mut self, line: &[u8]) {
        match self.counts.get_mut(line) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(line.to_vec(), 1);
            }
        }
    }

    /// How many lines there are.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    fn count(&self, line: &[u8]) -> u64 {
        self.counts.get(line).copied().unwrap_or(0)
    }
}

/// A line that stands in both topics, but not equally often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The line.
    pub line: String,
    /// How often the unsplit job wrote it.
    pub expected: u64,
    /// How often the residual job wrote it.
    pub actual: u64,
}

/// What two topics have in common. All numbers count lines with repetition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Lines of the unsplit job.
    pub expected: u64,
    /// Lines of the residual job.
    pub actual: u64,
    /// Lines of both.
    pub equal: u64,
    /// Lines that the residual job did not write.
    pub missing: u64,
    /// Lines that the residual job wrote more often than the unsplit one, which wrote them too.
    pub duplicated: u64,
    /// Lines that only the residual job wrote.
    pub unexpected: u64,
    /// The first [`SHOWN_DIFFERENCES`] lines that differ, in the order of their bytes: a window's two forms lie together.
    pub differences: Vec<Difference>,
}

/// Compares the lines of the residual job with those of the unsplit one.
pub fn compare(expected: &Lines, actual: &Lines) -> Comparison {
    let mut result =
        Comparison { expected: expected.total(), actual: actual.total(), ..Comparison::default() };
    let only_actual = actual.counts.keys().filter(|line| !expected.counts.contains_key(*line));
    let mut lines: Vec<&Vec<u8>> = expected.counts.keys().chain(only_actual).collect();
    lines.sort_unstable();
    for line in lines {
        let (e, a) = (expected.count(line), actual.count(line));
        result.equal += e.min(a);
        result.missing += e.saturating_sub(a);
        let surplus = a.saturating_sub(e);
        if e == 0 {
            result.unexpected += surplus;
        } else {
            result.duplicated += surplus;
        }
        if e != a && result.differences.len() < SHOWN_DIFFERENCES {
            let line = String::from_utf8_lossy(line).into_owned();
            result.differences.push(Difference { line, expected: e, actual: a });
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(texts: &[&str]) -> Lines {
        let mut lines = Lines::default();
        texts.iter().for_each(|text| lines.add(text.as_bytes()));
        lines
    }

    #[test]
    fn a_changed_window_is_missing_and_unexpected() {
        let result = compare(&lines(&["a,1", "b,2"]), &lines(&["b,2", "a,3"]));
        assert_eq!((result.equal, result.missing, result.unexpected), (1, 1, 1));
        assert_eq!(result.differences[0].line, "a,1");
        assert_eq!(result.differences[1].line, "a,3");
        assert!(!result.differences.is_empty());
    }

    #[test]
    fn a_repeated_window_is_duplicated() {
        let result = compare(&lines(&["a"]), &lines(&["a", "a"]));
        assert_eq!((result.equal, result.duplicated, result.differences.is_empty()), (1, 1, false));
    }

    #[test]
    fn only_the_first_differences_are_named() {
        let texts: Vec<String> = (0..99).map(|i| format!("{i:02}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let result = compare(&lines(&texts), &Lines::default());
        assert_eq!((result.missing, result.differences.len()), (99, SHOWN_DIFFERENCES));
    }

    proptest! {
        #[test]
        fn the_order_of_lines_does_not_matter(
            (texts, shuffled) in prop::collection::vec("[a-c]{1,2}", 0..40)
                .prop_flat_map(|texts| (Just(texts.clone()), Just(texts).prop_shuffle()))
        ) {
            let both: Vec<Lines> = [&texts, &shuffled]
                .map(|texts| lines(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
                .into();
            let result = compare(&both[0], &both[1]);
            prop_assert!(result.differences.is_empty());
            prop_assert_eq!(result.equal, texts.len() as u64);
        }

        #[test]
        fn every_line_is_counted_once(
            e in prop::collection::vec("[a-c]{1,2}", 0..40),
            a in prop::collection::vec("[a-c]{1,2}", 0..40),
        ) {
            let [e, a] = [e, a].map(|t| lines(&t.iter().map(String::as_str).collect::<Vec<_>>()));
            let result = compare(&e, &a);
            prop_assert_eq!(result.equal + result.missing, result.expected);
            prop_assert_eq!(result.equal + result.duplicated + result.unexpected, result.actual);
            prop_assert_eq!(result.differences.is_empty(), e == a);
        }
    }
}
