//! Measurements of single parts. They print figures; nothing fails for being slow.
mod hand;
mod jvm;
mod path;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(about = "Measures parts of Sluice")]
struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// No broker: Q1's operators from spooled lines to encoded frames.
    ///
    /// The native engine beside a hand-written loop that makes the same bytes; the jvm engine with the time that it costs both processes.
    Path {
        /// What executes the operators.
        #[arg(long, value_enum, default_value_t = Engine::Native)]
        engine: Engine,
        /// How many lines.
        #[arg(long, default_value_t = 200_000)]
        events: usize,
        /// A folder with other functions for the native engine: `parse.ir`, `project.ir`, `categorize.ir`, `timestamp.ir`.
        #[arg(long)]
        ir: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Engine {
    /// Rust, by the IR of Q1's plan.
    Native,
    /// The functions of Q1's jar in the host.
    Jvm,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().measurement {
        Measurement::Path { engine: Engine::Jvm, events, json, .. } => {
            let figures = jvm::measure(events)?;
            println!("{}", if json { figures.json() } else { figures.to_string() });
            Ok(())
        }
        Measurement::Path { engine: Engine::Native, events, ir, json } => {
            let figures = path::measure(events, ir.as_deref())?;
            println!("{}", if json { figures.json() } else { figures.to_string() });
            Ok(())
        }
    }
}
