//! What the sinks of a run got.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::compare::{self, Difference};

/// A record that reached a sink.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Its time in epoch milliseconds, or `-`, and the bytes that Flink's serializer makes of it, in hexadecimal.
    what: String,
    /// What it says of itself; objects may say their address, so it is only shown.
    text: Text,
}

/// Text that never makes two records different.
#[derive(Debug, Clone, Eq)]
struct Text(String);

impl PartialEq for Text {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// Reads a file of records: time, bytes and text, separated by tabs.
///
/// # Errors
/// When it can't be read or has another form.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let text = std::fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let record = |line: &str| {
        let (time, rest) = line.split_once('\t')?;
        let (bytes, text) = rest.split_once('\t')?;
        Some(Record { what: format!("{time} {bytes}"), text: Text(text.to_owned()) })
    };
    text.split_terminator('\n')
        .map(|line| record(line).with_context(|| format!("{}: `{line}`", path.display())))
        .collect()
}

/// The first difference between two runs, in order or not.
#[must_use]
pub fn difference(unsplit: &[Record], split: &[Record], in_order: bool) -> Option<Difference> {
    let show = |record: &Record| {
        let (time, bytes) = record.what.split_once(' ').unwrap_or_default();
        format!("{} (time {time}, bytes {bytes})", record.text.0)
    };
    match in_order {
        true => compare::sequences(unsplit, split, show),
        false => compare::bags(unsplit, split, show),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(what: &str, text: &str) -> Record {
        Record { what: what.to_owned(), text: Text(text.to_owned()) }
    }

    #[test]
    fn what_a_record_says_of_itself_does_not_count() {
        let (one, other) = ([record("5 00ff", "A@1")], [record("5 00ff", "A@2")]);
        assert_eq!(difference(&one, &other, true), None);
        let other = [record("6 00ff", "A@2")];
        let found = difference(&one, &other, false).unwrap();
        assert_eq!(found.unsplit.as_deref(), Some("A@1 (time 5, bytes 00ff)"));
        assert_eq!(found.split.as_deref(), Some("A@2 (time 6, bytes 00ff)"));
    }
}
