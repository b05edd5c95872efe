//! Files of events and watermarks, which local runs of Flink read and record (rewriter/flink/README.md).

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

const EVENT: u8 = 1;
const WATERMARK: u8 = 2;

/// An event between a prefix and what comes behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Its time, epoch milliseconds.
    pub time_ms: Option<i64>,
    /// Its Avro bytes; none for a null.
    pub value: Option<Vec<u8>>,
}

/// What such a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An event.
    Event(Event),
    /// A watermark, epoch milliseconds.
    Watermark(i64),
}

/// Reads a file.
///
/// # Errors
/// When it can't be read or has another form.
pub fn read(path: &Path) -> Result<Vec<Entry>> {
    let bytes = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    decode(&bytes).with_context(|| format!("{} is no file of events", path.display()))
}

/// Writes a file.
///
/// # Errors
/// When it can't be written.
pub fn write(path: &Path, entries: &[Entry]) -> Result<()> {
    fs::write(path, encode(entries)?).with_context(|| format!("can't write {}", path.display()))
}

fn encode(entries: &[Entry]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for entry in entries {
        match entry {
            Entry::Watermark(ms) => {
                out.push(WATERMARK);
                out.extend(ms.to_be_bytes());
            }
            Entry::Event(Event { time_ms, value }) => {
                out.extend([EVENT, u8::from(time_ms.is_some())]);
                out.extend(time_ms.unwrap_or(0).to_be_bytes());
                let length = value.as_ref().map_or(Ok(-1), |value| i32::try_from(value.len()))?;
                out.extend(length.to_be_bytes());
                out.extend(value.iter().flatten());
            }
        }
    }
    Ok(out)
}

fn decode(mut bytes: &[u8]) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while let Some((&kind, rest)) = bytes.split_first() {
        bytes = rest;
        entries.push(match kind {
            WATERMARK => Entry::Watermark(i64::from_be_bytes(take(&mut bytes)?)),
            EVENT => {
                let [has_time] = take(&mut bytes)?;
                let time = i64::from_be_bytes(take(&mut bytes)?);
                let length = i32::from_be_bytes(take(&mut bytes)?);
                let value = match usize::try_from(length) {
                    Err(_) => None,
                    Ok(length) => {
                        ensure!(length <= bytes.len(), "it ends inside an event");
                        let (value, rest) = bytes.split_at(length);
                        bytes = rest;
                        Some(value.to_vec())
                    }
                };
                // What a source of Flink's gives where it knows no time.
                let has_time = has_time != 0 && time != i64::MIN;
                Entry::Event(Event { time_ms: has_time.then_some(time), value })
            }
            kind => bail!("an entry of kind {kind}"),
        });
    }
    Ok(entries)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk().context("it ends inside an entry")?;
    *bytes = rest;
    Ok(*taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry() -> impl Strategy<Value = Entry> {
        let event = (proptest::option::of(i64::MIN + 1..), any::<Option<Vec<u8>>>())
            .prop_map(|(time_ms, value)| Entry::Event(Event { time_ms, value }));
        prop_oneof![event, any::<i64>().prop_map(Entry::Watermark)]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(entries in proptest::collection::vec(entry(), 0..20)) {
            prop_assert_eq!(decode(&encode(&entries).unwrap()).unwrap(), entries);
        }

        #[test]
        fn a_cut_file_is_refused_or_shorter(entries in proptest::collection::vec(entry(), 1..5), at: prop::sample::Index) {
            let bytes = encode(&entries).unwrap();
            if let Ok(read) = decode(&bytes[..at.index(bytes.len())]) {
                prop_assert!(read.len() < entries.len());
            }
        }
    }
}
