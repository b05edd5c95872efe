//! From the lines of sample files to the events of sources.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use sluice_planner::graph::Reads;
use sluice_wire::varint;

use crate::events::Event;
use crate::prepare::Prepared;

/// The events of a job's sources.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Of those that become inputs, by the input's name.
    pub moving: BTreeMap<String, Vec<Event>>,
    /// Of those that stay in the job, by node.
    pub staying: BTreeMap<String, Vec<Event>>,
}

impl Sources {
    /// From samples by the name of an input, or of a source that stays: a line an event. A sample under the empty name is for the only source.
    ///
    /// # Errors
    /// When a sample is missing, is for nothing, or has lines that are no text where text is read.
    pub fn new(job: &Prepared, samples: &BTreeMap<String, Vec<u8>>) -> Result<Self> {
        let names: Vec<&str> = names(job).collect();
        let unknown =
            samples.keys().find(|name| !name.is_empty() && !names.contains(&name.as_str()));
        if let Some(unknown) = unknown {
            bail!("there is no source {unknown}; the job has {}", names.join(", "));
        }
        let only = samples.get("").filter(|_| job.sources == 1);
        let sample = |name: &str| samples.get(name).or(only);
        let mut sources = Self::default();
        for input in &job.query.inputs {
            let name = input.name.as_str();
            let lines = sample(name)
                .with_context(|| format!("input {name} needs a sample: --sample {name}=FILE"))?;
            let is_text = input.types.first().is_some_and(|first| first == r#""string""#);
            sources.moving.insert(name.to_owned(), events(name, lines, is_text)?);
        }
        for source in &job.staying {
            let name = &source.name;
            let Some(lines) = sample(name) else {
                ensure!(
                    source.bounded,
                    "source {name} stays in the job; it needs a sample too: --sample {name}=FILE"
                );
                continue;
            };
            let replaceable = matches!(source.reads, Reads::Text | Reads::Bytes | Reads::Schema);
            ensure!(replaceable, "source {name} makes its own events: no sample can stand in");
            let lines = events(name, lines, source.reads == Reads::Text)?;
            sources.staying.insert(source.node.to_string(), lines);
        }
        Ok(sources)
    }
}

fn names(job: &Prepared) -> impl Iterator<Item = &str> {
    let inputs = job.query.inputs.iter().map(|input| input.name.as_str());
    inputs.chain(job.staying.iter().map(|source| source.name.as_str()))
}

/// The events of the lines of a sample: text or bytes, encoded the same.
fn events(source: &str, sample: &[u8], is_text: bool) -> Result<Vec<Event>> {
    let body = sample.strip_suffix(b"\n").unwrap_or(sample);
    let lines = body.split(|byte| *byte == b'\n').filter(|_| !sample.is_empty());
    let event = |(number, line): (usize, &[u8])| {
        if is_text && std::str::from_utf8(line).is_err() {
            bail!("{source}: line {} of its sample is not UTF-8", number + 1);
        }
        let mut value = Vec::with_capacity(line.len() + 2);
        varint::put_long(&mut value, i64::try_from(line.len())?);
        value.extend_from_slice(line);
        Ok(Event { time_ms: None, value: Some(value) })
    };
    lines.enumerate().map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_event() {
        let values = |sample: &[u8]| {
            let events = events("s", sample, true).unwrap();
            events.into_iter().map(|event| event.value.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(values(b"a\n\nbc\n"), [b"\x02a".to_vec(), b"\0".to_vec(), b"\x04bc".to_vec()]);
        assert_eq!(values(b"a"), [b"\x02a"]);
        assert_eq!(values(b"\n"), [b"\0"]);
        assert!(values(b"").is_empty());
    }

    #[test]
    fn only_bytes_may_be_no_text() {
        assert!(events("s", b"\xff\n", false).is_ok());
        let error = events("s", b"a\n\xff\n", true).unwrap_err();
        assert_eq!(error.to_string(), "s: line 2 of its sample is not UTF-8");
    }
}
