//! What people and programs see of the fleet.

use serde::Serialize;
use sluice_model::{DecisionInputs, DeviceKey, DeviceState, PlanMode, Shares, Verdict};

use super::Fleet;
use super::device::Device;

/// The fleet.
#[derive(Debug, Clone, Serialize)]
pub struct FleetView {
    /// This controller.
    pub controller: String,
    /// Whether it leads.
    pub leading: bool,
    /// The policy's name.
    pub policy: &'static str,
    /// The devices, by key.
    pub devices: Vec<DeviceView>,
    /// The cloud replicas that were heard within a minute.
    pub replicas: Vec<ReplicaView>,
}

/// One input on one device.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceView {
    /// `query/input/device`.
    pub key: String,
    /// The partition of its frames.
    pub partition: i32,
    /// Whether it takes part.
    pub state: DeviceState,
    /// Who routes it; none before it said.
    pub mode: Option<PlanMode>,
    /// The plan in force.
    pub plan: Option<Shares>,
    /// Its epoch.
    pub epoch: Option<i64>,
    /// What was decided last.
    pub verdict: Option<Verdict>,
    /// Why.
    pub reasons: Vec<String>,
    /// When, epoch milliseconds.
    pub decided_at: Option<i64>,
    /// Age of the last telemetry, milliseconds.
    pub telemetry_age_ms: Option<i64>,
    /// Bytes in its spool.
    pub spool_bytes: i64,
    /// Age of the oldest spooled event, milliseconds.
    pub oldest_age_ms: Option<i64>,
    /// Events accepted since the agent's start.
    pub accepted_events: i64,
    /// Events acknowledged since the agent's start.
    pub acked_events: i64,
    /// Events copied to the dead topic since the agent's start.
    pub dead_events: i64,
    /// Bytes sent since the agent's start.
    pub wire_bytes: i64,
    /// Processor time since the agent's start, microseconds.
    pub cpu_used_us: i64,
    /// The estimates.
    pub inputs: DecisionInputs,
    /// What the device says, for people.
    pub note: String,
}

/// One cloud replica.
#[derive(Debug, Clone, Serialize)]
pub struct ReplicaView {
    /// `query/input/v<operator>`.
    pub key: String,
    /// Which of several.
    pub boot: String,
    /// The version of the query.
    pub version: i32,
    /// The last operator of its range.
    pub to: i32,
    /// Events taken.
    pub events_in: i64,
    /// Events passed on.
    pub events_out: i64,
    /// Time in the operators, microseconds.
    pub busy_us: i64,
    /// Events copied to the dead topic.
    pub dead_events: i64,
    /// Age of the record, milliseconds.
    pub age_ms: i64,
}

impl Fleet {
    /// The whole fleet.
    #[must_use]
    pub fn view(&self, now_ms: i64) -> FleetView {
        let replicas = self.replicas.iter().map(|((key, boot), replica)| ReplicaView {
            key: key.clone(),
            boot: boot.clone(),
            version: replica.version,
            to: replica.counters.to,
            events_in: replica.counters.events_in,
            events_out: replica.counters.events_out,
            busy_us: replica.counters.busy_us,
            dead_events: replica.counters.dead_events,
            age_ms: now_ms - replica.heard_ms,
        });
        FleetView {
            controller: self.rules.name.clone(),
            leading: self.leading,
            policy: self.policy.name(),
            devices: self.devices.iter().map(|(key, d)| self.view_of(key, d, now_ms)).collect(),
            replicas: replicas.collect(),
        }
    }

    /// One device.
    #[must_use]
    pub fn device_view(&self, key: &DeviceKey, now_ms: i64) -> Option<DeviceView> {
        self.devices.get(key).map(|device| self.view_of(key, device, now_ms))
    }

    fn view_of(&self, key: &DeviceKey, device: &Device, now_ms: i64) -> DeviceView {
        let in_force = device.in_force();
        let last = device.history.back();
        let heard = device.telemetry.as_ref();
        let edge = heard.and_then(|(telemetry, _)| telemetry.edge.clone()).unwrap_or_default();
        let residual_lag = self.residual_lag.get(&(key.query.clone(), key.input.clone())).copied();
        DeviceView {
            key: key.to_string(),
            partition: device.entry.partition,
            state: device.entry.state,
            mode: in_force.map(|plan| plan.mode),
            plan: in_force.map(|plan| plan.shares.clone()),
            epoch: in_force.map(|plan| plan.epoch.0),
            verdict: last.map(|decision| decision.verdict),
            reasons: last.map(|decision| decision.reasons.clone()).unwrap_or_default(),
            decided_at: last.map(|decision| decision.at),
            telemetry_age_ms: heard.map(|(_, heard_ms)| now_ms - heard_ms),
            spool_bytes: edge.spool_bytes,
            oldest_age_ms: edge.oldest_age_ms,
            accepted_events: edge.accepted_events,
            acked_events: edge.acked_events,
            dead_events: edge.dead_events,
            wire_bytes: edge.wire_bytes,
            cpu_used_us: edge.cpu.used_us,
            inputs: device.inputs(residual_lag),
            note: device.status.as_ref().map(|status| status.note.clone()).unwrap_or_default(),
        }
    }
}
