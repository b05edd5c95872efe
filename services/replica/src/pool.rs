//! Follows the deployed queries and keeps a worker for each stage that is served.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sluice_engine::Engine;
use sluice_jvm::Engines;
use sluice_kafka::{Followed, Follower, Row};
use sluice_model::{DeployedQuery, QueryId};
use sluice_runtime::readiness::Readiness;
use sluice_wire::record;

use crate::config::Settings;
use crate::core::Core;
use crate::plan::StagePlan;
use crate::serve;
use crate::telemetry::Telemeter;
use crate::worker;

/// The part that is waited for until the deployed queries were read.
pub const QUERIES: &str = "queries";
/// How long a stage that could not be served rests before it is tried again: what it lacks may have come.
const REST: Duration = Duration::from_secs(5);
/// The time between two looks at them.
const TICK: Duration = Duration::from_millis(500);

/// The workers of a process.
pub struct Pool {
    settings: Settings,
    engines: Engines,
    /// As deployed last.
    queries: BTreeMap<QueryId, DeployedQuery>,
    readiness: Readiness,
    /// By topic, which names query, version, input and stage.
    workers: BTreeMap<String, Running>,
    /// Workers that were asked to stop.
    ending: Vec<JoinHandle<()>>,
}

struct Running {
    query: QueryId,
    version: i32,
    digest: String,
    stop: Arc<AtomicBool>,
    /// None when it could not start.
    thread: Option<JoinHandle<()>>,
    /// When it could not.
    tried: Instant,
}

impl Pool {
    /// A pool without workers.
    #[must_use]
    pub fn new(settings: Settings, engines: Engines, readiness: Readiness) -> Self {
        let queries = BTreeMap::new();
        Self { settings, engines, queries, readiness, workers: BTreeMap::new(), ending: Vec::new() }
    }

    /// Follows the deployed queries for ever.
    pub async fn run(&mut self, follower: &mut Follower) {
        let mut tick = tokio::time::interval(TICK);
        loop {
            let followed = tokio::select! {
                followed = follower.next() => followed,
                _ = tick.tick() => {
                    self.retry();
                    self.engines.publish();
                    continue;
                }
            };
            match followed {
                Followed::Row(row) => self.handle_row(&row),
                Followed::CaughtUp => {
                    self.readiness.ready(QUERIES);
                    tracing::info!(workers = self.workers.len(), "the deployed queries are read");
                    if self.workers.is_empty() {
                        tracing::warn!("no deployed query has a stage that replica.serve names");
                    }
                }
                Followed::Trouble(text) => tracing::warn!("{text}"),
            }
        }
    }

    /// A query was deployed, or taken away.
    pub fn handle_row(&mut self, row: &Row) {
        let Some(key) = &row.key else { return };
        let Some(value) = &row.value else {
            self.queries.retain(|query, _| query.as_str() != key);
            self.need_artifacts();
            return self.stop_where(|running| running.query.as_str() == key);
        };
        match record::decode::<DeployedQuery>(value) {
            Ok(query) => {
                self.queries.insert(query.query.clone(), query.clone());
                self.need_artifacts();
                self.deploy(&query);
            }
            Err(error) => {
                let offset = row.offset;
                tracing::error!(offset, "{} under the key `{key}`: {error}", row.topic);
            }
        }
    }

    /// Says whose files are to be fetched.
    fn need_artifacts(&self) {
        let queries = self.queries.values();
        self.engines.need(queries.flat_map(|query| query.older.iter().chain([query])));
    }

    /// Tries again what could not be served.
    fn retry(&mut self) {
        let due =
            |running: &mut Running| running.thread.is_none() && running.tried.elapsed() > REST;
        let again: Vec<QueryId> =
            self.workers.extract_if(.., |_, running| due(running)).map(|(_, r)| r.query).collect();
        for query in again {
            if let Some(query) = self.queries.get(&query).cloned() {
                self.deploy(&query);
            }
        }
    }

    fn deploy(&mut self, query: &DeployedQuery) {
        // Older versions drain beside the new one.
        let all: Vec<&DeployedQuery> = query.older.iter().chain([query]).collect();
        self.stop_where(|running| {
            let is_deployed =
                |q: &&DeployedQuery| (q.version, &q.digest) == (running.version, &running.digest);
            running.query == query.query && !all.iter().any(is_deployed)
        });
        all.iter().for_each(|query| self.serve(query));
    }

    /// Sees to a worker for each stage of a version.
    fn serve(&mut self, query: &DeployedQuery) {
        for input in &query.inputs {
            for (stage, to) in serve::stages(&self.settings.serve, query, input) {
                let topic = query.topic(input, stage - 1);
                if !self.workers.contains_key(&topic) {
                    let plan = StagePlan::compile(query, input, stage, to, &self.engines);
                    let running = self.start(query, &topic, plan);
                    self.workers.insert(topic, running);
                }
            }
        }
    }

    fn start(
        &self,
        query: &DeployedQuery,
        topic: &str,
        plan: anyhow::Result<(StagePlan, Box<dyn Engine + Send>)>,
    ) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let started = plan.and_then(|(plan, engine)| {
            let (telemeter, engine) = Telemeter::around(engine, &plan);
            let core = Core::new(plan, Box::new(engine), self.settings.limits);
            Ok(worker::start(core, telemeter, &self.settings, &self.readiness, &stop)?)
        });
        let thread = match started {
            Ok(thread) => {
                self.readiness.ready(topic);
                metrics::gauge!("sluice_replica_stopped", "topic" => topic.to_owned()).set(0.0);
                Some(thread)
            }
            Err(error) => {
                self.readiness.wait_for(topic, &format!("not started: {error:#}"));
                metrics::gauge!("sluice_replica_stopped", "topic" => topic.to_owned()).set(1.0);
                tracing::error!(topic, "the stage is not served: {error:#}");
                None
            }
        };
        let (query, version, digest) = (query.query.clone(), query.version, query.digest.clone());
        Running { query, version, digest, stop, thread, tried: Instant::now() }
    }

    fn stop_where(&mut self, which: impl Fn(&Running) -> bool) {
        self.ending.retain(|thread| !thread.is_finished());
        for (topic, running) in self.workers.extract_if(.., |_, running| which(running)) {
            running.stop.store(true, Ordering::Relaxed);
            self.readiness.ready(&topic);
            self.ending.extend(running.thread);
        }
    }

    /// Stops all workers and waits until they have delivered and committed.
    pub fn stop(&mut self) {
        self.stop_where(|_| true);
        for thread in self.ending.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a worker panicked");
            }
        }
    }
}
