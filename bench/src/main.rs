//! Measurements of single parts. They print figures; nothing fails for being slow.
mod command;
mod hand;
mod jvm;
mod path;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use sluice_model::DeviceKey;

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
    /// A running stack: from a command to the first frame by its plan.
    Command {
        /// The brokers, from the cloud's side.
        #[arg(long)]
        brokers: String,
        /// The device: query/input/device.
        #[arg(long)]
        key: DeviceKey,
        /// How many commands.
        #[arg(long, default_value_t = 120)]
        count: u32,
        /// The pause behind each effect, milliseconds.
        #[arg(long, default_value_t = 200)]
        pause_ms: u64,
        /// The cuts, in turn.
        #[arg(long, value_delimiter = ',', default_value = "0,1")]
        cuts: Vec<i32>,
        /// The delay of the device's link, one way, milliseconds.
        #[arg(long, default_value_t = 0)]
        one_way_ms: i64,
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
        Measurement::Command { brokers, key, count, pause_ms, cuts, one_way_ms } => {
            let pause = Duration::from_millis(pause_ms);
            let options = command::Options { brokers, key, count, pause, cuts, one_way_ms };
            println!("{}", command::measure(&options)?);
            Ok(())
        }
    }
}
