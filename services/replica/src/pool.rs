//! Follows the deployed queries and keeps a worker for each stage that is served.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use sluice_kafka::{Followed, Follower, Row};
use sluice_model::{DeployedQuery, QueryId};
use sluice_runtime::readiness::Readiness;
use sluice_wire::record;

use crate::config::Settings;
use crate::core::Core;
use crate::plan::StagePlan;
use crate::serve;
use crate::worker;

/// The part that is waited for until the deployed queries were read.
pub const QUERIES: &str = "queries";

/// The workers of a process.
pub struct Pool {
    settings: Settings,
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
}

impl Pool {
    /// A pool without workers.
    #[must_use]
    pub fn new(settings: Settings, readiness: Readiness) -> Self {
        Self { settings, readiness, workers: BTreeMap::new(), ending: Vec::new() }
    }

    /// Follows the deployed queries for ever.
    pub async fn run(&mut self, follower: &mut Follower) {
        loop {
            match follower.next().await {
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
            return self.stop_where(|running| running.query.as_str() == key);
        };
        match record::decode::<DeployedQuery>(value) {
            Ok(query) => self.deploy(&query),
            Err(error) => {
                let offset = row.offset;
                tracing::error!(offset, "{} under the key `{key}`: {error}", row.topic);
            }
        }
    }

    fn deploy(&mut self, query: &DeployedQuery) {
        // The version before drains beside the new one; what is older than that has drained.
        self.stop_where(|running| {
            running.query == query.query
                && (running.version < query.version - 1
                    || running.version == query.version && running.digest != query.digest)
        });
        for input in &query.inputs {
            for (stage, to) in serve::stages(&self.settings.serve, query, input) {
                let topic = query.topic(input, stage - 1);
                if !self.workers.contains_key(&topic) {
                    let plan = StagePlan::compile(query, input, stage, to);
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
        plan: anyhow::Result<(StagePlan, sluice_engine::Chain)>,
    ) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let started = plan.and_then(|(plan, chain)| {
            let core = Core::new(plan, Box::new(chain), self.settings.limits);
            Ok(worker::start(core, &self.settings, &self.readiness, &stop)?)
        });
        let thread = match started {
            Ok(thread) => Some(thread),
            Err(error) => {
                self.readiness.wait_for(topic, &format!("not started: {error:#}"));
                metrics::gauge!("sluice_replica_stopped", "topic" => topic.to_owned()).set(1.0);
                tracing::error!(topic, "the stage is not served: {error:#}");
                None
            }
        };
        let (query, version, digest) = (query.query.clone(), query.version, query.digest.clone());
        Running { query, version, digest, stop, thread }
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
