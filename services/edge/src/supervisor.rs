//! Follows the shared topics and keeps an input running for everything that is deployed to this device.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sluice_jvm::Engines;
use sluice_kafka::{Followed, Follower, Row};
use sluice_model::{
    CommandKey, DeployedQuery, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, Epoch,
    GENERATION_KEY, QueryId, Refusal, topics,
};
use sluice_runtime::readiness::Readiness;
use sluice_wire::record;

use crate::config::Settings;
use crate::deployment::{self, Deployment};
use crate::input::{self, InputHandle, Mail, Shared};

/// How long an input that failed rests before it is started again.
const REST: Duration = Duration::from_secs(5);

/// The value of the generation row.
#[derive(Deserialize)]
struct Generation {
    generation: i64,
}

/// Everything that runs on this device.
pub struct Supervisor {
    settings: Settings,
    shared: Shared,
    readiness: Readiness,
    queries: BTreeMap<QueryId, DeployedQuery>,
    entries: BTreeMap<DeviceKey, DeviceEntry>,
    /// The last row of each key of control and status that concerns this device, for inputs that start later.
    rows: BTreeMap<(Arc<str>, i32, String), Row>,
    control_generations: BTreeMap<i32, i64>,
    /// A device reads the partition of its own, modulo their number.
    control_partitions: i32,
    status_generation: Option<i64>,
    inputs: BTreeMap<DeviceKey, InputHandle>,
    resting: BTreeMap<DeviceKey, Instant>,
}

impl Supervisor {
    /// Starts what the copies on the disk say is deployed, before the broker is asked.
    #[must_use]
    pub fn new(settings: Settings, engines: Engines, readiness: Readiness) -> Self {
        let mut supervisor = Self {
            settings,
            shared: Shared { engines, ..Shared::default() },
            readiness,
            queries: BTreeMap::new(),
            entries: BTreeMap::new(),
            rows: BTreeMap::new(),
            control_generations: BTreeMap::new(),
            control_partitions: 1,
            status_generation: None,
            inputs: BTreeMap::new(),
            resting: BTreeMap::new(),
        };
        for key in deployment::stored(&supervisor.settings.data_dir, &supervisor.settings.device) {
            match deployment::load(&deployment::folder(&supervisor.settings.data_dir, &key)) {
                Ok(Some(stored)) => {
                    supervisor.learn_query(stored.query);
                    supervisor.entries.insert(key, stored.entry);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(input = %key, "{error:#}; waiting for the broker's copy")
                }
            }
        }
        supervisor.need_artifacts();
        supervisor.start_inputs();
        supervisor
    }

    /// Follows the shared topics for ever.
    pub async fn run(&mut self, follower: &mut Follower) {
        let mut tick = tokio::time::interval(Duration::from_millis(100));
        loop {
            tokio::select! {
                followed = follower.next() => {
                    self.control_partitions = follower.partitions(topics::CONTROL).unwrap_or(1);
                    self.handle_followed(followed);
                }
                _ = tick.tick() => {
                    self.tend_inputs();
                    self.shared.engines.publish();
                }
            }
        }
    }

    /// Stops every input and waits until it has drained or its grace is over.
    ///
    /// # Errors
    /// The first error of an input.
    pub fn stop(self) -> anyhow::Result<()> {
        for handle in self.inputs.values() {
            handle.send(Mail::Stop);
        }
        self.inputs.into_values().map(InputHandle::join).fold(Ok(()), anyhow::Result::and)
    }

    fn handle_followed(&mut self, followed: Followed) {
        match followed {
            Followed::Row(row) => self.handle_row(row),
            Followed::CaughtUp => {
                self.readiness.ready("broker");
                if self.inputs.is_empty() {
                    tracing::info!("nothing is deployed to device {} yet", self.settings.device);
                }
            }
            Followed::Trouble(text) => tracing::warn!("shared topics: {text}"),
        }
    }

    fn handle_row(&mut self, row: Row) {
        let Some(key) = row.key.clone() else { return };
        match &*row.topic {
            topics::QUERIES => self.handle_query(&key, row.value.as_deref()),
            topics::DEVICES => self.handle_entry(&key, row.value.as_deref()),
            topics::CONTROL | topics::STATUS => self.handle_shared(key, row),
            _ => {}
        }
    }

    fn handle_query(&mut self, key: &str, value: Option<&[u8]>) {
        let Some(value) = value else { return };
        match record::decode::<DeployedQuery>(value) {
            Ok(query) => {
                let id = query.query.clone();
                if self.learn_query(query) {
                    self.need_artifacts();
                    self.upgrade(&id);
                    self.start_inputs();
                }
            }
            Err(error) => tracing::warn!("{}: key {key}: {error}", topics::QUERIES),
        }
    }

    /// Says whose files are to be fetched: those of what is deployed here, older versions that may not be drained too.
    fn need_artifacts(&self) {
        let here = self
            .queries
            .values()
            .filter(|query| self.entries.keys().any(|key| key.query == query.query));
        self.shared.engines.need(here.flat_map(|query| query.older.iter().chain([query])));
    }

    /// Whether the query is to be followed: versions only grow.
    fn learn_query(&mut self, query: DeployedQuery) -> bool {
        if let Some(known) = self.queries.get(&query.query).filter(|k| k.version > query.version) {
            let (id, old, new) = (&query.query, query.version, known.version);
            tracing::warn!("query {id}: version {old} is not followed, {new} is known");
            return false;
        }
        self.queries.insert(query.query.clone(), query);
        true
    }

    /// Lets running inputs of older versions give way to the newest one; what can't run it here goes on as it is.
    fn upgrade(&self, id: &QueryId) {
        let query = &self.queries[id];
        let old = |(key, handle): &(&DeviceKey, &InputHandle)| {
            key.query == *id && handle.version < query.version
        };
        for (key, handle) in self.inputs.iter().filter(old) {
            let Some(entry) = self.entries.get(key) else { continue };
            match Deployment::new(entry.clone(), query.clone()).check(key, &self.shared.engines) {
                Ok(()) => handle.send(Mail::Yield),
                Err(error) => handle.send(unfit(key, query.version, &error)),
            }
        }
    }

    fn handle_entry(&mut self, key: &str, value: Option<&[u8]>) {
        let Ok(key) = key.parse::<DeviceKey>() else { return };
        if key.device != self.settings.device {
            return;
        }
        match value.map(record::decode_entry) {
            Some(Ok(entry)) => {
                if entry.state == DeviceState::Left
                    && let Some(handle) = self.inputs.get(&key)
                {
                    handle.send(Mail::Leave);
                }
                self.entries.insert(key, entry);
                self.need_artifacts();
                self.start_inputs();
            }
            Some(Err(error)) => tracing::warn!("{}: key {key}: {error}", topics::DEVICES),
            None => {}
        }
    }

    fn handle_shared(&mut self, key: String, row: Row) {
        if key == GENERATION_KEY {
            return self.handle_generation(&row);
        }
        let ours =
            key.split('/').nth(2).is_some_and(|d| d == "*" || d == self.settings.device.as_str());
        if !ours {
            return;
        }
        for (input, handle) in &self.inputs {
            if let Some(mail) = self.mail_of(input, handle.partition, &key, &row) {
                handle.send(mail);
            }
        }
        self.rows.insert((row.topic.clone(), row.partition, key), row);
    }

    fn handle_generation(&mut self, row: &Row) {
        let value = row.value.as_deref().unwrap_or_default();
        let Ok(Generation { generation }) = serde_json::from_slice(value) else {
            tracing::warn!("{}: the generation row is broken; `sluice init` writes it", row.topic);
            return;
        };
        if &*row.topic == topics::STATUS {
            self.status_generation = Some(generation);
            for handle in self.inputs.values() {
                handle.send(Mail::Generation(generation));
            }
        } else {
            self.control_generations.insert(row.partition, generation);
        }
    }

    /// What a row of control or status says to an input.
    fn mail_of(&self, input: &DeviceKey, partition: i32, key: &str, row: &Row) -> Option<Mail> {
        let value = row.value.as_deref()?;
        if &*row.topic == topics::CONTROL {
            return self.command_of(input, partition, key, row, value);
        }
        let hello = key == input.hello();
        if !hello && key != input.to_string() {
            return None;
        }
        match record::decode::<DeviceStatus>(value) {
            Ok(DeviceStatus { hello: Some(said), .. }) if hello => Some(Mail::Hello {
                nonce: said.nonce,
                offset: row.offset,
                broker_ms: row.timestamp_ms,
            }),
            Ok(status) if !hello => Some(Mail::Status(Box::new(status))),
            Ok(_) => None,
            Err(error) => {
                tracing::warn!("{}: key {key}: {error}", topics::STATUS);
                None
            }
        }
    }

    fn command_of(
        &self,
        input: &DeviceKey,
        partition: i32,
        key: &str,
        row: &Row,
        value: &[u8],
    ) -> Option<Mail> {
        let command_key = key.parse::<CommandKey>().ok().filter(|k| k.target.covers(input))?;
        let ours = partition % self.control_partitions;
        if row.partition != ours {
            let is_misplaced = command_key.target.device.is_some();
            return is_misplaced.then(|| Mail::Refused {
                refusal: self.misplaced(row, ours),
                broker_ms: row.timestamp_ms,
            });
        }
        let Some(generation) = self.control_generations.get(&row.partition) else {
            tracing::warn!(
                "{}: a command before any generation; run `sluice init`",
                topics::CONTROL
            );
            return None;
        };
        let epoch = Epoch::of_command(*generation, row.offset);
        let command = record::decode_command(value).map_err(|error| Refusal {
            epoch,
            code: "malformed".to_owned(),
            text: error.to_string(),
        });
        Some(Mail::Command { key: command_key, epoch, command, broker_ms: row.timestamp_ms })
    }

    /// A command to one device in a partition that this device does not read: its epoch says nothing here.
    fn misplaced(&self, row: &Row, ours: i32) -> Refusal {
        let generation = self.control_generations.get(&row.partition).copied().unwrap_or(0);
        Refusal {
            epoch: Epoch::of_command(generation, row.offset),
            code: "wrong_partition".to_owned(),
            text: format!(
                "written to partition {} of {}; this device reads partition {ours}",
                row.partition, row.topic
            ),
        }
    }

    /// Whether an input is to run: a device that leaves runs until its `leave` is acknowledged and its copy is gone.
    fn is_wanted(&self, key: &DeviceKey, entry: &DeviceEntry) -> bool {
        let rested = self.resting.get(key).is_none_or(|until| Instant::now() >= *until);
        let joined = entry.state == DeviceState::Joined;
        rested && (joined || deployment::exists(&deployment::folder(&self.settings.data_dir, key)))
    }

    /// Starts every deployed input that does not run.
    fn start_inputs(&mut self) {
        let start: Vec<DeviceKey> = self
            .entries
            .iter()
            .filter(|(key, entry)| !self.inputs.contains_key(key) && self.is_wanted(key, entry))
            .map(|(key, _)| key.clone())
            .collect();
        for key in start {
            let Some(query) = self.queries.get(&key.query) else { continue };
            let deployment = Deployment::new(self.entries[&key].clone(), query.clone());
            match self.start_input(&key, deployment) {
                Ok(handle) => {
                    self.resting.remove(&key);
                    self.inputs.insert(key, handle);
                }
                Err(error) => self.rest(key, &error),
            }
        }
    }

    fn start_input(
        &self,
        key: &DeviceKey,
        mut deployment: Deployment,
    ) -> anyhow::Result<InputHandle> {
        let folder = deployment::folder(&self.settings.data_dir, key);
        let newest = deployment.query.version;
        let mut misfit = None;
        // A broken copy must not keep the broker's from running.
        if let Some(stored) = deployment::load(&folder).unwrap_or_default() {
            if stored.query.version < newest
                && let Err(error) = deployment.check(key, &self.shared.engines)
            {
                misfit = Some(unfit(key, newest, &error));
                deployment.query = stored.query.clone();
            }
            if stored.entry.partition != deployment.entry.partition {
                // What the spool holds belongs to the old partition: the device leaves that first.
                deployment.entry = DeviceEntry { state: DeviceState::Left, ..stored.entry.clone() };
            }
            deployment = deployment.succeeding(stored);
        }
        let version = deployment.query.version;
        let handle = input::start(&self.settings, &self.shared, key, deployment, &self.readiness)?;
        misfit.into_iter().for_each(|mail| handle.send(mail));
        tracing::info!(input = %key, version, "started");
        if let Some(generation) = self.status_generation {
            handle.send(Mail::Generation(generation));
        }
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|((topic, partition, _), row)| (topic.clone(), *partition, row.offset));
        for ((_, _, row_key), row) in rows {
            if let Some(mail) = self.mail_of(key, handle.partition, row_key, row) {
                handle.send(mail);
            }
        }
        Ok(handle)
    }

    /// Sees after inputs that ended, and starts again those that failed a while ago.
    fn tend_inputs(&mut self) {
        let ended: Vec<DeviceKey> = self
            .inputs
            .iter()
            .filter(|(_, handle)| handle.is_finished())
            .map(|(key, _)| key.clone())
            .collect();
        for key in ended {
            if let Some(Err(error)) = self.inputs.remove(&key).map(InputHandle::join) {
                self.rest(key, &error);
            }
        }
        self.start_inputs();
    }

    fn rest(&mut self, key: DeviceKey, error: &anyhow::Error) {
        tracing::error!(input = %key, "{error:#}; trying again in {} s", REST.as_secs());
        self.readiness.wait_for(&key.to_string(), &format!("{error:#}"));
        self.resting.insert(key, Instant::now() + REST);
    }
}

/// What an input is told of a version that can't run here.
fn unfit(key: &DeviceKey, version: i32, error: &anyhow::Error) -> Mail {
    let why = format!("version {version} is not followed: {error:#}");
    tracing::warn!(input = %key, "{why}");
    Mail::Unfit(why)
}
