//! `sluice tail`: a topic's records, decoded.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::{Args, ValueEnum};
use sluice_kafka::{Start, read};

use crate::context::{Context, failure};
use crate::decoder::Decoder;
use crate::rows;

/// Options of `tail`.
#[derive(Debug, Args)]
pub struct Options {
    /// The topic.
    topic: String,
    /// Where to begin.
    #[arg(long, value_enum, default_value_t = Begin::End)]
    from: Begin,
    /// Stop after this many records.
    #[arg(long)]
    count: Option<u64>,
}

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Begin {
    /// At the first record; stops at the end that the topic has now.
    Beginning,
    /// At the end; goes on until stopped.
    End,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let queries = rows::queries(context)?;
    let decoder = Decoder::of(&options.topic, queries.values())?;
    // Set by nobody: a signal ends the process.
    let never = AtomicBool::new(false);
    let (start, stop) = match options.from {
        Begin::Beginning => (Start::Beginning, None),
        Begin::End => (Start::End, Some(&never)),
    };
    let mut left = options.count.unwrap_or(u64::MAX);
    if left == 0 {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let mut result = Ok(());
    read(&context.kafka, &options.topic, &start, stop, |message| {
        result = writeln!(out, "{}", decoder.show(&message));
        left -= 1;
        if left == 0 || result.is_err() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .map_err(failure)?;
    match result {
        // Whoever read has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
