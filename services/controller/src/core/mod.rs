//! The controller as a state machine: what was heard comes in, what is to be commanded and kept comes out.
//!
//! Pure: time is passed in, epoch milliseconds of one clock. The shell reads topics, sends what [`Fleet::poll`] gives, and says
//! what became of it.

mod counters;
mod device;
mod explain;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeMap;

use sluice_model::{
    Decision, DeployedQuery, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, Epoch, Input,
    InputName, QueryId, ReplicaCounters, RoutingCommand, Telemetry,
};
use sluice_policy::{EstimatorSettings, Policy};

pub use device::Device;
pub use explain::{Explanation, WhatIf};
pub use view::{DeviceView, FleetView, ReplicaView};

/// Rules of the controller.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Its name in commands and decisions.
    pub name: String,
    /// The time between two decisions for a device, milliseconds.
    pub decide_every_ms: i64,
    /// The shortest time that an observation takes in, milliseconds.
    pub observe_every_ms: i64,
    /// Telemetry older than this holds the plan, milliseconds.
    pub stale_after_ms: i64,
    /// How long a command may stay without an answer in the device's status, and how long a refused one is not repeated,
    /// milliseconds.
    pub confirm_within_ms: i64,
    /// Rates to be sustained, events a second, by `query/input` or `query/input/device`; without one the arrivals.
    pub targets: BTreeMap<String, f64>,
    /// How the estimators learn.
    pub estimator: EstimatorSettings,
    /// Decisions kept in memory per device.
    pub history: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            name: "controller".to_owned(),
            decide_every_ms: 10_000,
            observe_every_ms: 5_000,
            stale_after_ms: 10_000,
            confirm_within_ms: 30_000,
            targets: BTreeMap::new(),
            estimator: EstimatorSettings::default(),
            history: 64,
        }
    }
}

/// A decision to be kept, with the command that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The device.
    pub key: DeviceKey,
    /// The command; none where nothing changes.
    pub command: Option<RoutingCommand>,
    /// What was decided; its epoch is to be filled in once the command has one.
    pub decision: Decision,
}

/// A replica's last record.
#[derive(Debug, Clone)]
struct Replica {
    counters: ReplicaCounters,
    version: i32,
    heard_ms: i64,
}

/// Everything that the controller knows.
#[derive(Debug)]
pub struct Fleet {
    rules: Rules,
    policy: Box<dyn Policy>,
    queries: BTreeMap<QueryId, DeployedQuery>,
    devices: BTreeMap<DeviceKey, Device>,
    /// By key and boot.
    replicas: BTreeMap<(String, String), Replica>,
    residual_lag: BTreeMap<(QueryId, InputName), i64>,
    leading: bool,
    /// How far the broker's clock is ahead of this one.
    broker_ahead_ms: i64,
}

impl Fleet {
    /// A fleet of which nothing is known, under a policy.
    #[must_use]
    pub fn new(rules: Rules, policy: Box<dyn Policy>) -> Self {
        Self {
            rules,
            policy,
            queries: BTreeMap::new(),
            devices: BTreeMap::new(),
            replicas: BTreeMap::new(),
            residual_lag: BTreeMap::new(),
            leading: false,
            broker_ahead_ms: 0,
        }
    }

    /// Whether this controller leads.
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.leading
    }

    /// This controller leads from now on, or does not. Who takes over decides after a whole interval, from the plans that are in
    /// force.
    pub fn handle_leading(&mut self, leading: bool, now_ms: i64) {
        if leading && !self.leading {
            for (place, device) in self.devices.values_mut().enumerate() {
                device.begin_interval(&self.rules, now_ms, place);
            }
        }
        self.leading = leading;
    }

    /// The broker appended something at `broker_ms` that came just now: commands expire by its clock.
    pub fn handle_broker_time(&mut self, broker_ms: i64, now_ms: i64) {
        self.broker_ahead_ms = broker_ms - now_ms;
    }

    /// A query was deployed, or taken away.
    pub fn handle_query(&mut self, id: &QueryId, query: Option<DeployedQuery>) {
        match query {
            Some(query) => {
                self.queries.insert(id.clone(), query);
            }
            None => {
                self.queries.remove(id);
                self.residual_lag.retain(|(query, _), _| query != id);
            }
        }
    }

    /// A device joined, left, or was forgotten.
    pub fn handle_entry(&mut self, key: &DeviceKey, entry: Option<DeviceEntry>, now_ms: i64) {
        let Some(entry) = entry else {
            self.devices.remove(key);
            return;
        };
        let place = self.devices.len();
        let device = self.devices.entry(key.clone()).or_insert_with(|| {
            let mut device = Device::new(entry.clone(), &self.rules);
            device.begin_interval(&self.rules, now_ms, place);
            device
        });
        device.entry = entry;
    }

    /// A device's status.
    pub fn handle_status(&mut self, key: &DeviceKey, status: DeviceStatus, now_ms: i64) {
        if let Some(device) = self.devices.get_mut(key) {
            device.handle_status(status, now_ms);
        }
    }

    /// A record of telemetry under its key.
    pub fn handle_telemetry(&mut self, key: &str, telemetry: Telemetry, now_ms: i64) {
        if let Some(counters) = telemetry.replica {
            let name = (key.to_owned(), telemetry.boot);
            let version = telemetry.version;
            self.replicas.insert(name, Replica { counters, version, heard_ms: now_ms });
            return;
        }
        let Ok(key) = key.parse::<DeviceKey>() else { return };
        let target = self.target(&key);
        let residual_lag = self.residual_lag.get(&(key.query.clone(), key.input.clone())).copied();
        if let Some(device) = self.devices.get_mut(&key) {
            device.handle_telemetry(&self.rules, telemetry, (target, residual_lag), now_ms);
        }
    }

    fn target(&self, key: &DeviceKey) -> Option<f64> {
        let targets = &self.rules.targets;
        let of_input = || targets.get(&format!("{}/{}", key.query, key.input));
        targets.get(&key.to_string()).or_else(of_input).copied()
    }

    /// A decision that some controller kept.
    pub fn handle_decision(&mut self, key: &DeviceKey, decision: Decision) {
        if let Some(device) = self.devices.get_mut(key) {
            device.remember(decision, self.rules.history);
        }
    }

    /// How many frames of an input's `out` the residual job has not committed.
    pub fn handle_residual_lag(&mut self, query: &QueryId, input: &InputName, frames: i64) {
        if self.queries.contains_key(query) {
            self.residual_lag.insert((query.clone(), input.clone()), frames);
        }
    }

    /// The command of a ruling stands in the control topic, or could not be written.
    pub fn handle_placed(&mut self, key: &DeviceKey, epoch: Option<Epoch>, now_ms: i64) {
        if let Some(device) = self.devices.get_mut(key) {
            device.handle_placed(&self.rules, epoch, now_ms);
        }
    }

    /// What is decided now. A controller that does not lead decides nothing.
    pub fn poll(&mut self, now_ms: i64) -> Vec<Ruling> {
        self.replicas.retain(|_, replica| now_ms - replica.heard_ms < 60_000);
        if !self.leading {
            return Vec::new();
        }
        let mut rulings = Vec::new();
        for (key, device) in &mut self.devices {
            let query = self.queries.get(&key.query);
            let input = query.and_then(|query| query.input(&key.input));
            let (Some(query), Some(input)) = (query, input) else { continue };
            let is_movable = input.operator_count() > 0;
            if device.entry.state != DeviceState::Joined || !is_movable || !device.is_due(now_ms) {
                continue;
            }
            let residual_lag =
                self.residual_lag.get(&(key.query.clone(), key.input.clone())).copied();
            let context = device::Context {
                rules: &self.rules,
                policy: &*self.policy,
                version: query.version,
                residual_lag,
                broker_ahead_ms: self.broker_ahead_ms,
            };
            rulings.extend(device.decide(key, &context, now_ms));
        }
        rulings
    }

    /// An input as deployed, with its query.
    #[must_use]
    pub fn input(&self, query: &QueryId, input: &InputName) -> Option<(&DeployedQuery, &Input)> {
        let query = self.queries.get(query)?;
        Some((query, query.input(input)?))
    }

    /// The inputs whose residual job may lag: query, input, topic `out`.
    #[must_use]
    pub fn outs(&self) -> Vec<(QueryId, InputName, String)> {
        let of_query = |query: &DeployedQuery| {
            let inputs = query.inputs.iter();
            inputs
                .map(|input| {
                    let out = query.topic(input, input.operator_count());
                    (query.query.clone(), input.name.clone(), out)
                })
                .collect::<Vec<_>>()
        };
        self.queries.values().flat_map(of_query).collect()
    }

    /// A device.
    #[must_use]
    pub fn device(&self, key: &DeviceKey) -> Option<&Device> {
        self.devices.get(key)
    }
}
