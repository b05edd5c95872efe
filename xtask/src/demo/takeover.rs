//! The last part of the demo: people let go, and the controller routes while links and processors change.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;
use sluice_wan::control::Client;

use super::LINKS;
use super::query::Query;
use crate::controller::Controller;
use crate::cpu::CpuLimit;
use crate::process::output;
use crate::stack::Stack;

/// Decisions come faster than by default, for people who watch.
const SETTINGS: &str = "decide_every_ms = 2000\nobserve_every_ms = 1000\n[hull]\ndwell_ms = 4000";
/// After the first random command: every device has been taken over by a person.
const LEAD: Duration = Duration::from_secs(2);
/// After the last command of people, which leaves all operators to the cloud: until it has surely arrived.
const SETTLE: Duration = Duration::from_secs(1);
/// After that: while the best link's use is measured.
const METER: Duration = Duration::from_secs(2);
/// How soon a device that is still routed by a person is released again.
const RELEASE_AGAIN: Duration = Duration::from_secs(2);
/// What is left of the best link, as a part of what the device sends when all operators are left to the cloud: too little for that.
const NARROW_PART: f64 = 0.6;
/// A link must carry heartbeats and status at least, bytes a second.
const LEAST_BYTES_PER_S: u64 = 5_000;
/// What is left of the second device's processor.
const FEW_CORES: f64 = 0.15;

/// What the controller does in the demo.
pub(super) struct Takeover {
    /// When the controller is started: while people route all devices, so that it watches and does nothing.
    starts: Instant,
    begins: Instant,
    ends: Instant,
    controller: Option<Controller>,
    is_left_to_cloud: bool,
    /// What the best link had carried when its use began to be measured.
    metered_from: Option<(Instant, u64)>,
    released_at: Option<Instant>,
    /// What the best link is narrowed to, bytes a second.
    narrow_bytes_per_s: u64,
    narrowed: bool,
    widened: bool,
    limit: Option<CpuLimit>,
    /// By device: the newest decision that was shown.
    shown: BTreeMap<String, i64>,
    /// Plans that the controller changed.
    pub(super) commands: u64,
}

impl Takeover {
    /// Random switching begins at `manual_from`; the controller routes from `begins` to `ends`.
    pub(super) fn new(manual_from: Instant, begins: Instant, ends: Instant) -> Takeover {
        Takeover {
            starts: manual_from + LEAD,
            begins,
            ends,
            controller: None,
            is_left_to_cloud: false,
            metered_from: None,
            released_at: None,
            narrow_bytes_per_s: LEAST_BYTES_PER_S,
            narrowed: false,
            widened: false,
            limit: None,
            shown: BTreeMap::new(),
            commands: 0,
        }
    }

    /// Whether random switching is over.
    pub(super) fn has_begun(&self, now: Instant) -> bool {
        now >= self.begins
    }

    /// Does what is due, and returns lines to show.
    pub(super) fn look(
        &mut self,
        now: Instant,
        stack: &mut Stack,
        query: &Query<'_>,
        wan: &mut Client,
    ) -> Result<Vec<String>> {
        if now < self.starts {
            return Ok(Vec::new());
        }
        let Some(controller) = self.controller.clone() else {
            self.controller = Some(Controller::spawn(stack, "controller", SETTINGS)?);
            return Ok(Vec::new());
        };
        if self.released_at.is_none() {
            return self.let_go(now, controller.is_ready(), query, wan);
        }
        let mut lines = self.disturb(now, stack, wan)?;
        let fleet = controller.get("fleet")?;
        let devices = fleet["devices"].as_array().cloned().unwrap_or_default();
        let is_manual = devices.iter().any(|device| device["mode"] == "manual");
        if is_manual && self.released_at.is_none_or(|at| now > at + RELEASE_AGAIN) {
            self.release(now, query)?;
        }
        for device in &devices {
            lines.extend(self.news_of(&controller, device)?);
        }
        Ok(lines)
    }

    /// People leave all operators to the cloud, look what that needs of the best link, and let go.
    fn let_go(
        &mut self,
        now: Instant,
        is_ready: bool,
        query: &Query<'_>,
        wan: &mut Client,
    ) -> Result<Vec<String>> {
        let nothing = Ok(Vec::new());
        if !self.has_begun(now) {
            return nothing;
        }
        if !self.is_left_to_cloud {
            self.is_left_to_cloud = true;
            let key = format!("{}/*", query.case.key());
            output(&mut query.sluice(&["route", &key, "--cut", "0", "--reason", "demo"]))?;
            return Ok(vec!["people leave all operators to the cloud".to_owned()]);
        }
        if now < self.begins + SETTLE {
            return nothing;
        }
        let up_bytes = wan.delivered_bytes(LINKS[0].device)?.0;
        let (from, bytes) = *self.metered_from.get_or_insert((now, up_bytes));
        if now < from + METER || !is_ready {
            return nothing;
        }
        let bytes_per_s = (up_bytes - bytes) as f64 / (now - from).as_secs_f64();
        self.narrow_bytes_per_s = LEAST_BYTES_PER_S.max((bytes_per_s * NARROW_PART) as u64);
        self.release(now, query)?;
        Ok(vec!["all devices are released: the controller routes".to_owned()])
    }

    /// People let go of every device.
    fn release(&mut self, now: Instant, query: &Query<'_>) -> Result<()> {
        let key = format!("{}/*", query.case.key());
        output(&mut query.sluice(&["route", &key, "--release", "--reason", "demo"]))?;
        self.released_at = Some(now);
        Ok(())
    }

    /// The best link becomes narrow; at half time it is as before, and the second device's processor is small.
    fn disturb(&mut self, now: Instant, stack: &Stack, wan: &mut Client) -> Result<Vec<String>> {
        let half = self.begins + (self.ends - self.begins) / 2;
        let [first, second, ..] = LINKS;
        let mut lines = Vec::new();
        if !self.narrowed {
            self.narrowed = true;
            let (device, rate) = (first.device, self.narrow_bytes_per_s);
            wan.ask(&format!("rate {device} {rate} unlimited"))?;
            lines.push(format!("the link of {device} is down to {rate} B/s"));
        }
        if now >= half && !self.widened {
            self.widened = true;
            let (up, down) = (first.up_bytes_per_s, first.down_bytes_per_s);
            wan.ask(&format!("rate {} {up} {down}", first.device))?;
            lines.push(format!("the link of {} is as before", first.device));
            self.limit = CpuLimit::of_device(stack, "demo", second.device, FEW_CORES).ok();
            if self.limit.is_some() {
                lines.push(format!("{} has {FEW_CORES} of a processor left", second.device));
            }
        }
        if now >= self.ends {
            // What the spool still holds leaves at full speed.
            self.limit = None;
        }
        Ok(lines)
    }

    /// What the controller changed at a device since the last look, and why.
    fn news_of(&mut self, controller: &Controller, device: &Value) -> Result<Vec<String>> {
        let key = device["key"].as_str().unwrap_or_default().to_owned();
        let decided_at = device["decided_at"].as_i64().unwrap_or(0);
        let before = self.shown.insert(key.clone(), decided_at).unwrap_or(0);
        if decided_at <= before {
            return Ok(Vec::new());
        }
        let history = controller.get(&format!("devices/{key}/history?limit=4"))?;
        let decisions = history.as_array().into_iter().flatten();
        let fresh = decisions.filter(|decision| {
            decision["verdict"] == "commanded" && decision["at"].as_i64() > Some(before)
        });
        let lines: Vec<String> = fresh
            .map(|decision| {
                let reasons = decision["reasons"].as_array().into_iter().flatten();
                let reasons: Vec<&str> = reasons.filter_map(Value::as_str).collect();
                let (from, to) = (plan(&decision["previous"]), plan(&decision["plan"]));
                format!("{key}: {from} -> {to}: {}", reasons.join("; "))
            })
            .collect();
        self.commands += lines.len() as u64;
        Ok(lines)
    }
}

/// Shares as people read them.
pub(super) fn plan(shares: &Value) -> String {
    let parts = shares.as_array().into_iter().flatten();
    let parts: Vec<String> = parts
        .map(|share| {
            let per_mille = share["per_mille"].as_f64().unwrap_or(0.0);
            format!("{} ({:.0}%)", share["cut"], per_mille / 10.0)
        })
        .collect();
    format!("cut {}", parts.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_plan_is_read_at_a_glance() {
        let shares = json!([{"cut": 0, "per_mille": 250}, {"cut": 3, "per_mille": 750}]);
        assert_eq!(plan(&shares), "cut 0 (25%) + 3 (75%)");
    }
}
