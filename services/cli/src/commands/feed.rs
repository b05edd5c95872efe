//! `sluice feed`: a replay's lines in a plain topic, as the source of the unsplit job has them.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use serde_json::json;
use sluice_generators::{Generator, Query};
use sluice_kafka::{FrameProducer, Record, SendError, partitions};
use sluice_runtime::exit::Failure;

use crate::context::{Context, failure};

/// How long the broker may leave lines without an acknowledgement.
const SILENCE: Duration = Duration::from_secs(30);

/// Options of `feed`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("lines").args(["generator", "file"]).required(true))]
pub struct Options {
    /// The topic.
    #[arg(long)]
    topic: String,
    /// Its partition: one a device.
    #[arg(long)]
    partition: i32,
    /// Lines of a generator, q1 to q4, the same that a device's replay source makes of it.
    #[arg(long, value_name = "QUERY", requires = "count")]
    generator: Option<Query>,
    /// The generator's seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The generator's number of the device.
    #[arg(long, default_value_t = 1)]
    device: u32,
    /// How many lines of the generator.
    #[arg(long, conflicts_with = "file")]
    count: Option<u64>,
    /// Append the line that ends the device's stream.
    #[arg(long, conflicts_with = "file")]
    closing: bool,
    /// Lines of a file, the line feeds cut off.
    #[arg(long)]
    file: Option<PathBuf>,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let count = partitions(&context.kafka, &options.topic).map_err(failure)?;
    if !(0..count).contains(&options.partition) {
        return Err(Failure::usage(format!(
            "--partition {} is not within 0..{}, those of topic {}",
            options.partition,
            count - 1,
            options.topic
        )));
    }
    let producer = FrameProducer::new(&context.kafka, "sluice-feed").map_err(failure)?;
    let mut feed = Feed { producer, options, sent: 0, acknowledged: 0 };
    match (&options.file, options.generator) {
        (Some(path), _) => each_line_of(path, |line| feed.send(line))?,
        (None, Some(query)) => {
            let generator = query.generator(options.seed, options.device);
            let lines = options.count.unwrap_or_default();
            each_generated(generator, lines, options.closing, |line| feed.send(line))?;
        }
        (None, None) => {}
    }
    let lines = feed.finish()?;
    context.print(
        format!("{lines} lines in topic {}, partition {}", options.topic, options.partition),
        &json!({ "topic": options.topic, "partition": options.partition, "lines": lines }),
    )
}

fn each_generated(
    mut generator: Generator,
    lines: u64,
    closing: bool,
    mut send: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    for _ in 0..lines {
        line.clear();
        generator.next_line(&mut line);
        send(&line)?;
    }
    if closing {
        line.clear();
        generator.closing_line(&mut line);
        send(&line)?;
    }
    Ok(())
}

fn each_line_of(path: &Path, mut send: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let place = path.display();
    let refuse = |error: std::io::Error| Failure::usage(format!("--file {place}: {error}"));
    let mut reader = BufReader::new(std::fs::File::open(path).map_err(refuse)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(refuse)? > 0 {
        send(line.strip_suffix(b"\n").unwrap_or(&line))?;
        line.clear();
    }
    Ok(())
}

struct Feed<'a> {
    producer: FrameProducer,
    options: &'a Options,
    sent: u64,
    acknowledged: u64,
}

impl Feed<'_> {
    fn send(&mut self, line: &[u8]) -> Result<()> {
        let options = self.options;
        let (topic, partition) = (options.topic.as_str(), options.partition);
        let record = Record { topic, partition, key: "", headers: &[], payload: line };
        loop {
            match self.producer.send(record, self.sent) {
                Ok(()) => break,
                Err(SendError::QueueFull) => self.take_deliveries(SILENCE)?,
                Err(error) => bail!("line {}: {error}", self.sent + 1),
            }
        }
        self.sent += 1;
        self.take_deliveries(Duration::ZERO)
    }

    fn take_deliveries(&mut self, patience: Duration) -> Result<()> {
        let mut deliveries = Vec::new();
        self.producer.poll(patience, &mut deliveries);
        if deliveries.is_empty() && !patience.is_zero() {
            let what = self.producer.stats().last_error.unwrap_or_default();
            return Err(Failure::unavailable(format!(
                "the broker acknowledges nothing for {} s: {what}",
                SILENCE.as_secs()
            )));
        }
        for delivery in deliveries {
            delivery.result.map_err(|error| failure(error.kind))?;
            self.acknowledged += 1;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<u64> {
        while self.acknowledged < self.sent {
            self.take_deliveries(SILENCE)?;
        }
        Ok(self.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_are_cut_off_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, "a\r\n\nb").unwrap();
        let mut lines = Vec::new();
        each_line_of(&path, |line| {
            lines.push(line.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(lines, [&b"a\r"[..], b"", b"b"]);
        assert!(each_line_of(&folder.path().join("x"), |_| Ok(())).is_err());
    }

    #[test]
    fn generated_lines_come_in_number_and_are_closed() {
        let mut lines = Vec::new();
        let take = |line: &[u8]| {
            lines.push(line.to_vec());
            Ok(())
        };
        each_generated(Query::Q1.generator(1, 2), 5, true, take).unwrap();
        assert_eq!(lines.len(), 6);
        assert!(lines.iter().all(|line| !line.ends_with(b"\n")));
    }
}
