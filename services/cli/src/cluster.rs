//! The residual job on a session cluster: started, replaced by the one of a newer version, ended.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use sluice_kafka::{exists, lag};
use sluice_model::{DeployedQuery, DeviceState, QueryId, topics};
use sluice_runtime::clock;
use sluice_runtime::exit::Failure;

use crate::args::duration;
use crate::artifacts::block_on;
use crate::context::{Context, failure};
use crate::flink::{Flink, Run};
use crate::residual::{JobId, LAUNCHER, arguments};
use crate::rows::{self, Catalog};

/// How long a job may take until all of it runs, or until it has ended.
const JOB_TIMEOUT: Duration = Duration::from_secs(60);
/// How often it is asked whether a version is drained.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A session cluster.
#[derive(Debug, Args)]
pub struct FlinkRest {
    /// REST interface of the Flink session cluster that runs the residual job, such as http://127.0.0.1:8082.
    #[arg(long, env = "SLUICE_FLINK_REST", value_name = "URL")]
    flink_rest: Option<String>,
}

/// How the residual job runs on a session cluster.
#[derive(Debug, Args)]
pub struct ClusterOptions {
    /// The cluster.
    #[command(flatten)]
    pub rest: FlinkRest,
    /// The brokers as the cluster reaches them, where they differ from --brokers.
    #[arg(long, value_name = "HOST:PORT")]
    pub flink_brokers: Option<String>,
    /// Where savepoints go; the cluster's own setting unless given.
    #[arg(long, value_name = "URI")]
    pub savepoints: Option<String>,
    /// Start from this savepoint, where no job of the query runs.
    #[arg(long, value_name = "PATH")]
    pub savepoint: Option<String>,
    /// What becomes of the state of a version whose job is built in another way.
    #[arg(long, value_enum)]
    pub state: Option<State>,
    /// How long the version before may take until all of its events are read.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub drain_timeout: Duration,
}

/// What becomes of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum State {
    /// It goes on; the start is refused where an operator's state would be lost.
    Keep,
    /// The new version begins without state.
    Drop,
}

/// The residual jobs of a query on a cluster.
#[derive(Debug)]
pub struct Cluster {
    flink: Flink,
}

/// What became of a submission.
#[derive(Debug)]
pub struct Submitted {
    /// The job's id.
    pub job: String,
    /// Whether it was started now.
    pub new: bool,
    /// The savepoint that it began from.
    pub savepoint: Option<String>,
}

impl Cluster {
    /// The cluster, if one is named.
    pub fn new(rest: &FlinkRest) -> Result<Option<Self>> {
        let flink = rest.flink_rest.as_deref().map(Flink::new).transpose()?;
        Ok(flink.map(|flink| Self { flink }))
    }

    /// Checks that the cluster answers.
    pub fn probe(&self) -> Result<()> {
        block_on(self.flink.version()).map(|_| ())
    }

    /// Checks that the cluster answers, runs the Flink of the capture, and that the state of the job that runs fits.
    pub fn check(
        &self,
        options: &ClusterOptions,
        plan: &DeployedQuery,
        deployed: Option<&DeployedQuery>,
    ) -> Result<()> {
        let version = block_on(self.flink.version())?;
        let captured = plan.job.as_ref().map_or(version.as_str(), |job| &job.flink);
        let major = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
        if major(&version) != major(captured) {
            return Err(Failure::usage(format!(
                "the cluster runs Flink {version}, but the job was captured with Flink {captured}"
            )));
        }
        let graph = |query: &DeployedQuery| query.job.as_ref().map(|job| job.graph_digest.clone());
        for (id, _) in self.running(&plan.query)? {
            let older = deployed.and_then(|deployed| version_of(deployed, id.version));
            let fits = older.and_then(graph) == graph(plan);
            if !fits && id.version != version_number(plan) && options.state.is_none() {
                return Err(Failure::usage(format!(
                    "version {} runs on the cluster, and its job is built in another way: say --state keep (the start is \
                     refused where an operator's state would be lost) or --state drop",
                    id.version
                )));
            }
        }
        Ok(())
    }

    /// Runs the residual job of a deployed query. Jobs of older versions are stopped with a savepoint once all their events are
    /// read, and the new one goes on from it.
    pub fn submit(
        &self,
        context: &Context,
        options: &ClusterOptions,
        query: &DeployedQuery,
        jar: impl FnOnce() -> Result<tempfile::NamedTempFile>,
    ) -> Result<Submitted> {
        let running = self.running(&query.query)?;
        if let Some((_, job)) = running.iter().find(|(id, _)| id.version == version_number(query)) {
            return Ok(Submitted { job: job.clone(), new: false, savepoint: None });
        }
        let jar = jar()?;
        let mut savepoint = options.savepoint.clone();
        for (id, job) in &running {
            if let Some(older) = version_of(query, id.version) {
                await_drained(context, older, options.drain_timeout)?;
            }
            eprintln!("sluice: stopping the job of version {} with a savepoint", id.version);
            let target = options.savepoints.as_deref();
            let place = block_on(self.flink.stop(job, target, JOB_TIMEOUT))
                .with_context(|| format!("the job of version {} was not stopped", id.version))?;
            block_on(self.flink.await_job(job, false, JOB_TIMEOUT))?;
            savepoint = (options.state != Some(State::Drop)).then_some(place);
        }
        let job = JobId::new(query, clock::now_ms() / 1000).to_string();
        let from = savepoint.as_deref();
        let brokers = options.flink_brokers.as_deref();
        let args = arguments(query, &context.kafka, brokers);
        let name = format!("{}-{}.jar", query.query, query.version);
        let run = Run { entry_class: LAUNCHER, args: &args, job: &job, savepoint: from };
        block_on(self.start(jar.path(), &name, &run)).with_context(|| match from {
            Some(place) => format!(
                "the job of version {} did not start from the savepoint {place}; try again with --savepoint {place}",
                query.version
            ),
            None => format!("the job of version {} did not start", query.version),
        })?;
        Ok(Submitted { job, new: true, savepoint })
    }

    /// Ends every job of a query. Returns their ids.
    pub fn cancel(&self, query: &QueryId) -> Result<Vec<String>> {
        let running = self.running(query)?;
        for (_, job) in &running {
            block_on(self.flink.cancel(job))?;
            block_on(self.flink.await_job(job, false, JOB_TIMEOUT))?;
        }
        Ok(running.into_iter().map(|(_, job)| job).collect())
    }

    /// The jobs of a query that run, oldest version first.
    pub fn running(&self, query: &QueryId) -> Result<Vec<(JobId, String)>> {
        let jobs = block_on(self.flink.jobs())?.into_iter().filter(|job| !job.is_over());
        let ours = jobs.filter_map(|job| Some((JobId::parse(&job.id, query)?, job.id)));
        let mut ours: Vec<_> = ours.collect();
        ours.sort_by_key(|(id, _)| id.version);
        Ok(ours)
    }

    async fn start(&self, jar: &Path, name: &str, run: &Run<'_>) -> Result<()> {
        let uploaded = self.flink.upload(jar, name).await?;
        let started = self.flink.run(&uploaded, run).await;
        let runs = match started {
            Ok(()) => self.flink.await_job(run.job, true, JOB_TIMEOUT).await,
            Err(error) => Err(error),
        };
        // The cluster has its own copy for the job; a jar that stays does no harm.
        let _ = self.flink.remove_jar(&uploaded).await;
        runs
    }
}

/// Waits until no device and no stage holds an event of a version, and its residual job has read all of them.
fn await_drained(context: &Context, older: &DeployedQuery, timeout: Duration) -> Result<()> {
    let deadline = Instant::now() + timeout;
    let mut said = String::new();
    while let Some(left) = undrained(context, older)? {
        if Instant::now() >= deadline {
            return Err(Failure::unavailable(format!(
                "{} version {} is still needed: {left}; deploy again to go on, or let a device leave that is gone for good",
                older.query, older.version
            )));
        }
        if left != said {
            eprintln!("sluice: waiting: {left}");
            said = left;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

fn version_number(query: &DeployedQuery) -> u32 {
    u32::try_from(query.version).unwrap_or_default()
}

/// The version of that number: the deployed one, or one that goes on beside it.
fn version_of(query: &DeployedQuery, version: u32) -> Option<&DeployedQuery> {
    let all = std::iter::once(query).chain(&query.older);
    all.into_iter().find(|query| version_number(query) == version)
}

/// What of a version is not read to its end; none when all is.
fn undrained(context: &Context, query: &DeployedQuery) -> Result<Option<String>> {
    let version = query.version;
    let devices = Catalog::read(context)?.devices;
    let statuses = rows::statuses(context)?;
    for (key, entry) in devices.iter().filter(|(key, _)| key.query == query.query) {
        let ready = statuses.get(key).map(|status| &status.ready);
        let runs = ready.is_some_and(|ready| ready.iter().any(|ready| ready.version == version));
        if entry.state == DeviceState::Joined && runs {
            return Ok(Some(format!("device {} still runs version {version}", key.device)));
        }
    }
    for input in &query.inputs {
        for applied in 0..=input.operator_count() {
            let topic = query.topic(input, applied);
            let group = match applied == input.operator_count() {
                true => format!("sluice.{}.{}.residual", query.query, input.name),
                false => topics::group(&topic),
            };
            if exists(&context.kafka, &topic).map_err(failure)? {
                let frames = lag(&context.kafka, &group, &topic).map_err(failure)?;
                if frames > 0 {
                    return Ok(Some(format!("{frames} frames of {topic} are not read yet")));
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_among_the_older_ones() {
        let query = |version: i32| -> DeployedQuery {
            let plan = serde_json::json!({ "query": "q1", "version": version, "inputs": [] });
            serde_json::from_value(plan).unwrap()
        };
        let deployed = DeployedQuery { older: vec![query(2), query(1)], ..query(3) };
        let found = |version| version_of(&deployed, version).map(|query| query.version);
        assert_eq!([found(3), found(1), found(4)], [Some(3), Some(1), None]);
    }
}
