//! Follows the shared topics and keeps an input running for everything that is deployed to this device.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sluice_kafka::{Followed, Follower, Row};
use sluice_model::{
    CommandKey, DeployedQuery, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, Epoch,
    GENERATION_KEY, QueryId, Refusal, topics,
};
use sluice_runtime::readiness::Readiness;
use sluice_wire::record;

use crate::config::Settings;
use crate::deployment::{self, Deployment};
use crate::input::{self, InputHandle, Mail};

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
    readiness: Readiness,
    queries: BTreeMap<QueryId, DeployedQuery>,
    entries: BTreeMap<DeviceKey, DeviceEntry>,
    /// The last row of each key of control and status that concerns this device, for inputs that start later.
    rows: BTreeMap<(Arc<str>, i32, String), Row>,
    control_generations: BTreeMap<i32, i64>,
    status_generation: Option<i64>,
    inputs: BTreeMap<DeviceKey, InputHandle>,
    resting: BTreeMap<DeviceKey, Instant>,
}

impl Supervisor {
    /// Starts what the copies on the disk say is deployed, before the broker is asked.
    #[must_use]
    pub fn new(settings: Settings, readiness: Readiness) -> Self {
        let mut supervisor = Self {
            settings,
            readiness,
            queries: BTreeMap::new(),
            entries: BTreeMap::new(),
            rows: BTreeMap::new(),
            control_generations: BTreeMap::new(),
            status_generation: None,
            inputs: BTreeMap::new(),
            resting: BTreeMap::new(),
        };
        for key in deployment::stored(&supervisor.settings.data_dir, &supervisor.settings.device) {
            match deployment::load(&deployment::folder(&supervisor.settings.data_dir, &key)) {
                Ok(Some(stored)) => {
                    supervisor.queries.insert(key.query.clone(), stored.query);
                    supervisor.entries.insert(key, stored.entry);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(input = %key, "{error:#}; waiting for the broker's copy")
                }
            }
        }
        supervisor.start_inputs();
        supervisor
    }

    /// Follows the shared topics for ever.
    pub async fn run(&mut self, follower: &mut Follower) {
        let mut tick = tokio::time::interval(Duration::from_millis(500));
        loop {
            tokio::select! {
                followed = follower.next() => self.handle_followed(followed),
                _ = tick.tick() => self.tend_inputs(),
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
                if let Some(known) = self.queries.get(&query.query)
                    && known.version < query.version
                    && self.inputs.keys().any(|input| input.query == query.query)
                {
                    let (old, new) = (known.version, query.version);
                    tracing::warn!(
                        "query {key}: version {new} is deployed; this device goes on with {old} until it restarts"
                    );
                }
                self.queries.insert(query.query.clone(), query);
                self.start_inputs();
            }
            Err(error) => tracing::warn!("{}: key {key}: {error}", topics::QUERIES),
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
            if let Some(mail) = self.mail_of(input, &key, &row) {
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
    fn mail_of(&self, input: &DeviceKey, key: &str, row: &Row) -> Option<Mail> {
        let value = row.value.as_deref()?;
        if &*row.topic == topics::CONTROL {
            return self.command_of(input, key, row, value);
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

    fn command_of(&self, input: &DeviceKey, key: &str, row: &Row, value: &[u8]) -> Option<Mail> {
        let command_key = key.parse::<CommandKey>().ok().filter(|k| k.target.covers(input))?;
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
            let deployment =
                Deployment { entry: self.entries[&key].clone(), query: query.clone(), plan: None };
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
        // A broken copy must not keep the broker's from running.
        if let Some(stored) = deployment::load(&folder).unwrap_or_default() {
            if stored.entry.partition != deployment.entry.partition {
                // What the spool holds belongs to the old partition: the device leaves that first.
                deployment.entry = DeviceEntry { state: DeviceState::Left, ..stored.entry };
            }
            deployment.plan = stored.plan;
        }
        deployment::store(&folder, &deployment)?;
        let handle = input::start(&self.settings, key, deployment, &self.readiness)?;
        tracing::info!(input = %key, "started");
        if let Some(generation) = self.status_generation {
            handle.send(Mail::Generation(generation));
        }
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|((topic, partition, _), row)| (topic.clone(), *partition, row.offset));
        for ((_, _, row_key), row) in rows {
            if let Some(mail) = self.mail_of(key, row_key, row) {
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
