//! `sluice check`: whether a job gives the same split as unsplit, over a sample, on this machine and without Kafka.

use std::hash::{BuildHasher as _, RandomState};

use anyhow::{Context as _, Result};
use clap::Args;
use sluice_check::flink::LocalFlink;
use sluice_check::tools::Tools;
use sluice_check::{Bench, Prepared, Sources, check};
use sluice_model::QueryId;
use sluice_runtime::exit::Failure;

use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions};
use crate::native::EngineOptions;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    job: JobOptions,
    #[command(flatten)]
    split: SplitOptions,
    #[command(flatten)]
    engines: EngineOptions,
    /// Chooses the lengths of frames and their cuts; a random one unless given.
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs the command. Returns whether split and unsplit are equal.
pub fn run(context: &Context, options: &Options) -> Result<bool> {
    let samples = options.engines.samples()?;
    if samples.is_empty() {
        return Err(Failure::usage("give lines of the source, with --sample FILE"));
    }
    let host = options.engines.host.as_ref();
    let host = host.ok_or_else(|| Failure::usage("say where sluice-host.jar is, with --host"))?;
    if !host.is_file() {
        return Err(Failure::usage(format!("--host {}: no such file", host.display())));
    }
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let java = &options.job.java;
    let tools = Tools {
        java: java.java.clone(),
        flink: java.flink_lib()?.to_owned(),
        runtime: java.runtime_jar()?.to_owned(),
        host: host.clone(),
        tmp: folder.path().to_owned(),
    };
    let job = Job::load(&options.job)?;
    let (files, places) = job.files()?;
    let split = options.split.of(&QueryId::new("check")?, 1);
    let planned = options.engines.plan(&job, &java.java, &split, (files, &places))?;
    let [jar, capture] = places;
    let args = planned.query.job.as_ref().map(|job| job.args.clone()).unwrap_or_default();
    let prepared = Prepared::new(jar, capture, args, &job.capture, planned);

    let sources = Sources::new(&prepared, &samples).map_err(Failure::usage)?;
    let seed = options.seed.unwrap_or_else(|| RandomState::new().hash_one("seed"));
    let mut flink = LocalFlink::start(&tools, &folder.path().join("flink.log"))?;
    let mut engines = prepared.jvm(&tools.sidecar(&folder.path().join("host")))?;
    let mut bench = Bench { flink: &mut flink, engines: &mut engines, folder: folder.path() };
    let report = check(&mut bench, &prepared, &sources, seed)?;
    context.print(&report, &report)?;
    Ok(report.is_equal())
}
