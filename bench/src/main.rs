//! Measurements of single parts. They print figures; nothing fails for being slow.
mod hand;
mod path;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Measures parts of Sluice")]
struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// One core, no broker: Q1's operators from spooled lines to encoded frames, beside a hand-written loop that makes the same bytes.
    Path {
        /// How many lines.
        #[arg(long, default_value_t = 200_000)]
        events: usize,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().measurement {
        Measurement::Path { events, json } => {
            let figures = path::measure(events)?;
            println!("{}", if json { figures.json() } else { figures.to_string() });
            Ok(())
        }
    }
}
