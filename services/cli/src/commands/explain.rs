//! `sluice explain`: what of a job would move to the devices, what stays, and why.

use anyhow::Result;
use clap::Args;
use sluice_model::{Engine, QueryId};
use sluice_planner::{Explanation, explain};

use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions, not_planned};
use crate::native::EngineOptions;

/// How wide the picture may be.
const WIDTH: usize = 100;

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    job: JobOptions,
    #[command(flatten)]
    split: SplitOptions,
    #[command(flatten)]
    engines: EngineOptions,
    /// The query's id.
    #[arg(long, default_value = "query")]
    query: QueryId,
    /// Print a graph for Graphviz.
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print what Rust executes in the place of each function, with the lines of its source.
    #[arg(long, conflicts_with = "dot")]
    ir: bool,
}

/// Runs the command. A job of which nothing can move is explained too.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let job = Job::load(&options.job)?;
    let split = options.split.of(&options.query, 1);
    let explanation = explanation(&job, options, &split)?;
    if options.dot {
        print!("{}", explanation.dot());
        return Ok(());
    }
    let mut text = explanation.text(WIDTH);
    if options.ir {
        text += &functions(&explanation);
    }
    context.print(text, &explanation.json())
}

/// Where the job's jar and the host are at hand, what was translated is compared too.
fn explanation(
    job: &Job,
    options: &Options,
    split: &sluice_planner::Options,
) -> Result<Explanation> {
    let explained = explain(&job.capture, &*job.classes, split, &*options.engines.translator(job))
        .map_err(|problems| not_planned(&problems))?;
    let moves = explained.sources.iter().any(|source| source.input.is_some());
    match (&options.engines.host, job.files()) {
        (Some(_), Ok((files, places))) if moves => {
            let java = &options.job.java.java;
            Ok(options.engines.plan(job, java, split, (files, &places))?.explanation)
        }
        _ => Ok(explained),
    }
}

/// The native functions.
fn functions(explanation: &Explanation) -> String {
    let steps = explanation.sources.iter().flat_map(|source| &source.steps);
    let native = steps.filter(|step| step.engine == Engine::Native);
    native.map(|step| format!("\n{}\n", step.ir.trim_end())).collect()
}
