//! `sluice explain`: what of a job would move to the devices, what stays, and why.

use anyhow::Result;
use clap::Args;
use sluice_model::QueryId;
use sluice_planner::{NoTranslator, explain};

use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions, not_planned};

/// How wide the picture may be.
const WIDTH: usize = 100;

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    job: JobOptions,
    #[command(flatten)]
    split: SplitOptions,
    /// The query's id.
    #[arg(long, default_value = "query")]
    query: QueryId,
    /// Print a graph for Graphviz.
    #[arg(long, conflicts_with = "json")]
    dot: bool,
}

/// Runs the command. A job of which nothing can move is explained too.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let job = Job::load(&options.job)?;
    let split = options.split.of(&options.query, 1);
    let explanation = explain(&job.capture, &*job.classes, &split, &NoTranslator)
        .map_err(|problems| not_planned(&problems))?;
    if options.dot {
        print!("{}", explanation.dot());
        return Ok(());
    }
    context.print(explanation.text(WIDTH), &explanation.json())
}
