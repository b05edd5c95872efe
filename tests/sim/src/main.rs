//! `sluice-sim`: plays seeds until one fails.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use sluice_sim::mutation::Mutation;
use sluice_sim::scenario::Scenario;
use sluice_sim::tally::Tally;
use sluice_sim::world::World;
use sluice_sim::{export, shrink};

/// Tries to break the heart of Sluice, on a virtual clock.
#[derive(Parser)]
struct Arguments {
    /// The seeds to play, `A..B`.
    #[arg(long, value_parser = range, default_value = "0..2000")]
    seeds: Range<u64>,
    /// Play one seed only.
    #[arg(long)]
    seed: Option<u64>,
    /// Tell what happens in it.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Take a rule away.
    #[arg(long)]
    mutation: Option<Mutation>,
    /// Go on after a failure, and only count.
    #[arg(long)]
    count: bool,
    /// Write what the readers read into this folder, as vectors.
    #[arg(long)]
    export: Option<PathBuf>,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is not of the form A..B");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    Ok(from.parse().map_err(|_| wrong())?..to.parse().map_err(|_| wrong())?)
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let seeds = arguments.seed.map_or(arguments.seeds, |seed| seed..seed + 1);
    if let Some(folder) = arguments.export {
        seeds.clone().try_for_each(|seed| export::write(&folder, seed))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (mut failures, mut total) = (0, Tally::default());
    for seed in seeds.clone() {
        let scenario = Scenario::of(seed);
        let mut world = World::new(&scenario, arguments.mutation, arguments.trace, false);
        let failure = world.run();
        for line in world.context.told.take().into_iter().flatten() {
            println!("{line}");
        }
        total.add(&Tally::of(&world));
        let Some(failure) = failure else { continue };
        failures += 1;
        if arguments.count {
            println!("seed {seed} {:?} {}: {}", scenario.class, failure.invariant, failure.text);
            continue;
        }
        let shrunk = shrink::shrink(&scenario, failure, arguments.mutation);
        println!("{}", shrink::report(&shrunk, arguments.mutation));
        return Ok(ExitCode::FAILURE);
    }
    println!("{total}");
    println!("{} seeds from {} on, {failures} failures", seeds.end - seeds.start, seeds.start);
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
