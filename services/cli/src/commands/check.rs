//! `sluice check`: whether a job gives the same split as unsplit, over a sample, on this machine and without Kafka.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use sluice_check::flink::LocalFlink;
use sluice_check::tools::Tools;
use sluice_check::{Bench, Prepared, Sources, check};
use sluice_model::QueryId;
use sluice_planner::plan;
use sluice_runtime::exit::Failure;

use crate::context::Context;
use crate::job::{Job, JobOptions, SplitOptions, not_planned};

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    job: JobOptions,
    #[command(flatten)]
    split: SplitOptions,
    /// Lines for a source, an event each; a job with several sources takes one for each, by the name of its input.
    #[arg(long = "sample", value_name = "[SOURCE=]FILE", value_parser = sample, required = true)]
    samples: Vec<(String, PathBuf)>,
    /// Chooses the lengths of frames and their cuts; a random one unless given.
    #[arg(long)]
    seed: Option<u64>,
    /// What runs the job's functions on devices, `sluice-host.jar`.
    #[arg(long, env = "SLUICE_HOST_JAR", value_name = "JAR")]
    host: PathBuf,
}

/// The name is empty where there is none.
fn sample(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        Some(_) => Err("must be FILE or SOURCE=FILE".to_owned()),
        None => Ok((String::new(), text.into())),
    }
}

/// Runs the command. Returns whether split and unsplit are equal.
pub fn run(context: &Context, options: &Options) -> Result<bool> {
    let samples = samples(options)?;
    if !options.host.is_file() {
        return Err(Failure::usage(format!("--host {}: no such file", options.host.display())));
    }
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let java = &options.job.java;
    let tools = Tools {
        java: java.java.clone(),
        flink: java.flink_lib()?.to_owned(),
        runtime: java.runtime_jar()?.to_owned(),
        host: options.host.clone(),
        tmp: folder.path().to_owned(),
    };
    let job = Job::load(&options.job)?;
    let (files, [jar, capture]) = job.files()?;
    let split = options.split.of(&QueryId::new("check")?, 1);
    let planned = plan(&job.capture, &*job.classes, &split, files)
        .map_err(|problems| not_planned(&problems))?;
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

fn samples(options: &Options) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut samples = BTreeMap::new();
    for (name, file) in &options.samples {
        let lines = fs::read(file)
            .map_err(|error| Failure::usage(format!("--sample {}: {error}", file.display())))?;
        if samples.insert(name.clone(), lines).is_some() {
            return Err(Failure::usage(format!("two samples for {}", named(name))));
        }
    }
    Ok(samples)
}

fn named(name: &str) -> &str {
    if name.is_empty() { "the only source" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_may_be_named() {
        assert_eq!(sample("a.csv").unwrap(), (String::new(), "a.csv".into()));
        assert_eq!(sample("lines=a=b.csv").unwrap(), ("lines".to_owned(), "a=b.csv".into()));
        assert!(sample("=a").is_err() && sample("lines=").is_err());
    }
}
