//! `sluice deploy`: from a job's jar to a deployed query.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use sluice_model::{DeployedQuery, DeviceKey, DeviceState, Input, QueryId};
use sluice_runtime::exit::Failure;

use crate::args::duration;
use crate::artifacts::ArtifactStore;
use crate::candidate::Candidate;
use crate::cluster::{Cluster, ClusterOptions, Submitted};
use crate::context::Context;
use crate::device_file::{self, DeviceFile, Step};
use crate::job::{JobOptions, SplitOptions};
use crate::native::EngineOptions;
use crate::problems::Problems;
use crate::publish::{self, Published};
use crate::rows::Catalog;
use crate::{deployment, residual};

/// What problems come to.
const UNDONE: &str = "nothing was deployed";
/// How wide the picture of a job may be.
const WIDTH: usize = 100;

/// Options of `deploy`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    job: JobOptions,
    /// The query's id.
    #[arg(long, required_unless_present = "plan")]
    query: Option<QueryId>,
    /// The version; unless given the next one where the plan differs from the deployed one.
    #[arg(long, conflicts_with = "plan", value_parser = clap::value_parser!(i32).range(1..))]
    version: Option<i32>,
    #[command(flatten)]
    split: SplitOptions,
    #[command(flatten)]
    engines: EngineOptions,
    /// How long a silent device holds event time back, such as 60s; unless given what the job says, else 30 s.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "plan")]
    idle_after: Option<Duration>,
    /// Deploy this plan: written by hand, or by `--dry-run --json`. The files that it names are relative to it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jar", "capture", "main", "args", "query"])]
    plan: Option<PathBuf>,
    /// An edge's configuration: says what it still lacks to feed the inputs; may be given several times.
    #[arg(long = "device-file", value_name = "FILE")]
    device_files: Vec<PathBuf>,
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    store: ArtifactStore,
    #[command(flatten)]
    cluster: ClusterOptions,
    /// Write the jar that a session cluster gets: sluice-flink.jar with the job's jar inside.
    #[arg(long, value_name = "FILE")]
    residual_jar: Option<PathBuf>,
}

/// Runs the command. Done again with the same job, it changes nothing.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let Ready { candidate, deployed, joined, files, cluster } = prepare(context, options)?;
    let mut steps = Vec::new();
    if candidate.plan.job.is_some() || !files.is_empty() {
        let called = |input: &Input| candidate.source_names(input);
        steps = device_file::steps(&candidate.plan, &files, &joined, called);
    }
    if options.dry_run {
        return show(context, options, &candidate, deployed.as_ref(), &steps);
    }
    let new_artifacts = candidate.put_artifacts(&options.store)?;
    let published = publish::publish(context, &candidate.plan, deployed.as_ref())?;
    let combine =
        |to: &Path| residual::combine(options.job.java.runtime_jar()?, jar(&candidate)?, to);
    if let Some(to) = &options.residual_jar {
        combine(to)?;
    }
    let submit = |cluster: &Cluster| {
        cluster.submit(context, &options.cluster, &published.query, || {
            let combined = tempfile::NamedTempFile::new()?;
            combine(combined.path())?;
            Ok(combined)
        })
    };
    let submitted = cluster.as_ref().map(submit).transpose()?;
    let commands = commands(context, options, &published.query, candidate.jar());
    let report = Report { published, new_artifacts, submitted, steps, commands };
    context.print(report.text(), &report.json())
}

/// What nothing stands in the way of any more.
struct Ready {
    candidate: Candidate,
    deployed: Option<DeployedQuery>,
    joined: BTreeSet<DeviceKey>,
    files: Vec<DeviceFile>,
    cluster: Option<Cluster>,
}

/// Captures and plans the job and looks at everything around it; nothing is changed.
///
/// # Errors
/// All problems at once.
fn prepare(context: &Context, options: &Options) -> Result<Ready> {
    let mut problems = Problems::default();
    let files = options.device_files.iter().map(|file| DeviceFile::load(file));
    let files = files.filter_map(|file| problems.take(file)).collect();
    let candidate = problems.take(candidate(options));
    let cluster = problems.take(Cluster::new(&options.cluster.rest)).flatten();
    if options.residual_jar.is_some() || cluster.is_some() {
        problems.take(options.job.java.runtime_jar());
    }
    let catalog = problems.take(context.probe().and_then(|()| Catalog::read(context)));
    problems.take(context.probe_registry());
    let Some(mut candidate) = candidate else {
        if options.plan.is_none() {
            problems.take(options.store.probe());
        }
        problems.take(cluster.as_ref().map_or(Ok(()), Cluster::probe));
        return Err(problems.into_error(UNDONE));
    };
    problems.take(candidate.check_artifacts(&options.store));
    let (mut deployed, mut joined) = (None, BTreeSet::new());
    if let Some(Catalog { mut queries, devices }) = catalog {
        let devices = devices.into_iter().filter(|(_, entry)| entry.state == DeviceState::Joined);
        joined.extend(devices.map(|(key, _)| key));
        deployed = queries.remove(&candidate.plan.query);
        let version = candidate.settle_version(context, options.version, deployed.as_ref());
        if problems.take(version).is_some() {
            let known = publish::known_topics(context, &candidate.plan, &mut problems);
            problems.take(known);
        }
    }
    if let Some(cluster) = &cluster {
        problems.take(cluster.check(&options.cluster, &candidate.plan, deployed.as_ref()));
        problems.take(jar(&candidate));
    }
    match problems.is_empty() {
        true => Ok(Ready { candidate, deployed, joined, files, cluster }),
        false => Err(problems.into_error(UNDONE)),
    }
}

fn candidate(options: &Options) -> Result<Candidate> {
    match (&options.plan, &options.query) {
        (Some(plan), _) => Candidate::of_file(plan),
        (None, Some(query)) => {
            let mut candidate =
                Candidate::of_job(query, &options.job, &options.split, &options.engines)?;
            if let Some(idle_after) = options.idle_after {
                for input in &mut candidate.plan.inputs {
                    input.idle_after_ms = i64::try_from(idle_after.as_millis())?;
                }
            }
            Ok(candidate)
        }
        (None, None) => Err(Failure::usage("give the query's id with --query")),
    }
}

fn jar(candidate: &Candidate) -> Result<&Path> {
    let jar = candidate.jar();
    jar.ok_or_else(|| Failure::usage("the residual job needs the job's jar: deploy from it"))
}

/// What would be done.
fn show(
    context: &Context,
    options: &Options,
    candidate: &Candidate,
    deployed: Option<&DeployedQuery>,
    steps: &[Step],
) -> Result<()> {
    let plan = &candidate.plan;
    let known = publish::known_topics(context, plan, &mut Problems::default())?;
    let mut text = String::new();
    if let Some(explanation) = &candidate.explanation {
        text += &explanation.text(WIDTH);
        text += "\n";
    }
    let same = deployed.is_some_and(|deployed| deployed.version == plan.version);
    let verb = if same { "is deployed already" } else { "would be deployed" };
    text += &format!("{} version {} {verb}\n", plan.query, plan.version);
    let mut topics = deployment::frame_topics(plan);
    topics.extend(deployment::copy_topics(plan));
    for topic in topics.iter().filter(|topic| !known.contains(&topic.name)) {
        text += &format!("would create topic {} ({} partitions)\n", topic.name, topic.partitions);
    }
    let stored = match candidate.artifacts() {
        none if none.is_empty() => Default::default(),
        artifacts => options.store.has(artifacts)?,
    };
    for artifact in candidate.artifacts().iter().filter(|artifact| !stored[&artifact.digest]) {
        text += &format!("would upload {} ({} bytes)\n", artifact.name, artifact.bytes);
    }
    text += &device_file::text(steps);
    context.print(text, &candidate.json()?)
}

/// How the residual job is started without a session cluster.
fn commands(
    context: &Context,
    options: &Options,
    query: &DeployedQuery,
    jar: Option<&Path>,
) -> Vec<Start> {
    let brokers = options.cluster.flink_brokers.as_deref();
    let args = residual::arguments(query, &context.kafka, brokers);
    let java = &options.job.java;
    let placeholder =
        |path: &Option<PathBuf>, name: &str| path.clone().unwrap_or_else(|| name.into());
    let jar = jar.unwrap_or(Path::new("JOB.JAR"));
    let embedded = residual::embedded(
        &placeholder(&java.runtime, "sluice-flink.jar"),
        &jar.display().to_string(),
        &placeholder(&java.flink, "FLINK_LIB"),
        &args,
    );
    let name = jar.file_name().unwrap_or_default().display();
    let usrlib = format!(", sluice-flink.jar and {name} in usrlib of all its machines");
    vec![
        Start { mode: "embedded", needs: String::new(), command: embedded },
        Start { mode: "application", needs: usrlib, command: residual::application(&args) },
    ]
}

/// A way to start the residual job.
struct Start {
    mode: &'static str,
    needs: String,
    command: String,
}

/// What was done, and what is left to do.
struct Report {
    published: Published,
    new_artifacts: Vec<String>,
    submitted: Option<Submitted>,
    steps: Vec<Step>,
    commands: Vec<Start>,
}

impl Report {
    fn text(&self) -> String {
        let Published { query, new } = &self.published;
        let verb = if *new { "deployed" } else { "was deployed already" };
        let mut text =
            format!("{} version {} {verb}, digest {}\n", query.query, query.version, query.digest);
        for artifact in &self.new_artifacts {
            text += &format!("uploaded {artifact}\n");
        }
        match &self.submitted {
            Some(Submitted { job, new: false, .. }) => {
                text += &format!("residual job {job} runs already\n");
            }
            Some(Submitted { job, savepoint, .. }) => {
                let from = savepoint.as_ref().map(|from| format!(" from {from}"));
                text += &format!("residual job {job} started{}\n", from.unwrap_or_default());
            }
            None if query.job.is_some() => {
                text += "start the residual job, or deploy again with --flink-rest:\n";
                for Start { mode, needs, command } in &self.commands {
                    text += &format!("  {mode}{needs}:\n    {command}\n");
                }
            }
            None => {}
        }
        text + &device_file::text(&self.steps)
    }

    fn json(&self) -> Value {
        let Published { query, new } = &self.published;
        let commands: serde_json::Map<String, Value> = self
            .commands
            .iter()
            .map(|start| (start.mode.to_owned(), start.command.as_str().into()))
            .collect();
        let submitted = self.submitted.as_ref().map(|submitted| {
            json!({ "job": submitted.job, "new": submitted.new, "savepoint": submitted.savepoint })
        });
        json!({
            "query": query.query,
            "version": query.version,
            "digest": query.digest,
            "new": new,
            "uploaded": self.new_artifacts,
            "residual": submitted,
            "commands": commands,
            "steps": self.steps.iter().map(Step::json).collect::<Vec<_>>(),
        })
    }
}
