//! `sluice-fleet`: runs a fleet under a policy, prints a table, and draws.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use sluice_fleet::run::Outcome;
use sluice_fleet::score::table;
use sluice_fleet::{Options, PolicyName, Trace, plot, run};

/// Runs a fleet of simulated devices under the policies of the controller
#[derive(Parser)]
#[command(name = "sluice-fleet")]
struct Args {
    /// Devices
    #[arg(long, default_value_t = 100)]
    devices: usize,
    /// Hours of the trace; each trace's own by default
    #[arg(long)]
    hours: Option<f64>,
    /// Policies, one after another
    #[arg(long, value_delimiter = ',', default_value = "hull,reference")]
    policy: Vec<PolicyName>,
    /// Traces, one after another; all by default
    #[arg(long, value_delimiter = ',')]
    trace: Vec<Trace>,
    /// Seed of conditions and noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds between two decisions of a device
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    decide_seconds: u64,
    /// Seconds between two reports of a device
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    report_seconds: u64,
    /// The traces run so many times as fast
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Standard deviation of what is measured, as a part of it
    #[arg(long, default_value_t = 0.05)]
    noise: f64,
    /// A folder for the table and the pictures
    #[arg(long)]
    out: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let traces =
        if args.trace.is_empty() { Trace::value_variants().to_vec() } else { args.trace.clone() };
    let mut scores = Vec::new();
    for trace in traces {
        for policy in &args.policy {
            let outcome = run(&Options {
                hours: args.hours,
                scale: args.scale,
                seed: args.seed,
                decide_seconds: args.decide_seconds,
                report_seconds: args.report_seconds,
                noise: args.noise,
                keep: args.out.is_some(),
                ..Options::new(trace, *policy, args.devices)
            });
            if let Some(out) = &args.out {
                draw(out, &outcome)?;
            }
            scores.push(outcome.score);
        }
    }
    let table = table(&scores);
    print!("{table}");
    if let Some(out) = &args.out {
        fs::write(out.join("table.txt"), table)?;
    }
    Ok(())
}

fn draw(out: &PathBuf, outcome: &Outcome) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("can't use {}", out.display()))?;
    let (trace, policy) = &outcome.score.name;
    let title = format!("{trace} under {policy}");
    // The first three, and the one that switches most.
    let busiest = (0..outcome.switches.len()).max_by_key(|n| outcome.switches[*n].len());
    let drawn: BTreeSet<usize> = (0..outcome.moments.len().min(3)).chain(busiest).collect();
    for n in drawn {
        let moments = &outcome.moments[n];
        let file = out.join(format!("{trace}-{policy}-{n}.svg"));
        fs::write(file, plot::device(&format!("{title}, device {n}"), moments))?;
        let file = out.join(format!("{trace}-{policy}-{n}.txt"));
        fs::write(file, outcome.switches[n].join("\n") + "\n")?;
    }
    let fleet = plot::heat(&title, &outcome.moments, 10);
    fs::write(out.join(format!("{trace}-{policy}-fleet.svg")), fleet)?;
    Ok(())
}
