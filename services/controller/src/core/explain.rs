//! Why the present plan, and what another world would make of it.

use serde::{Deserialize, Serialize};
use sluice_model::{CutForecast, DecisionInputs, DeviceKey, Shares, Verdict};
use sluice_policy::{Estimates, Goodput, Plan, Problem};

use super::Fleet;
use super::device::forecasts;

/// Another world: what differs from the estimates.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhatIf {
    /// What the uplink carries, bytes a second.
    pub bandwidth: Option<f64>,
    /// Processors that the input may use.
    pub cpu: Option<f64>,
    /// Events a second to be sustained.
    pub rate: Option<f64>,
}

/// What the policy makes of a device's estimates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The device.
    pub key: String,
    /// The policy's name.
    pub policy: &'static str,
    /// The plan in force.
    pub plan: Shares,
    /// What the policy would have now.
    pub best: Shares,
    /// Events a second that it sustains; none where nothing known limits it.
    pub sustained_per_s: Option<f64>,
    /// Why.
    pub reasons: Vec<String>,
    /// The verdict that was kept last, with its reasons.
    pub last: Option<(Verdict, Vec<String>)>,
    /// What it rests on.
    pub inputs: DecisionInputs,
    /// Processor time of an event beyond its operators, microseconds.
    pub overhead_us: f64,
    /// What every cut would sustain and cost.
    pub cuts: Vec<CutForecast>,
}

impl WhatIf {
    /// What is no world.
    ///
    /// # Errors
    /// The name of the number that must be above 0.
    pub fn check(&self) -> Result<(), &'static str> {
        let numbers = [("bandwidth", self.bandwidth), ("cpu", self.cpu), ("rate", self.rate)];
        let is_wrong = |number: &f64| !number.is_finite() || *number <= 0.0;
        let wrong = numbers.into_iter().find(|(_, number)| number.as_ref().is_some_and(is_wrong));
        wrong.map_or(Ok(()), |(name, _)| Err(name))
    }

    fn apply(&self, mut estimates: Estimates, now_ms: i64) -> Estimates {
        if let Some(bytes_per_second) = self.bandwidth {
            let limited = true;
            estimates.goodput = Some(Goodput { bytes_per_second, limited, limited_at_ms: now_ms });
        }
        estimates.cpu_cores = self.cpu.or(estimates.cpu_cores);
        estimates.target_per_second = self.rate.unwrap_or(estimates.target_per_second);
        estimates
    }
}

impl Fleet {
    /// Why a device has its plan, or with a what-if: what the policy would do in that world. None for a device that is not
    /// known.
    #[must_use]
    pub fn explain(&self, key: &DeviceKey, what_if: &WhatIf, now_ms: i64) -> Option<Explanation> {
        let device = self.devices.get(key)?;
        let nothing = Shares::binary(sluice_model::Cut(0));
        let plan = device.in_force().map_or(nothing, |plan| plan.shares.clone());
        let estimates = what_if.apply(device.estimates().clone(), now_ms);
        // In another world the plan has stood for long: neither dwell nor a lack of observations is in its way.
        let previous = match (*what_if == WhatIf::default(), device.plan()) {
            (true, Some(plan)) => plan.clone(),
            _ => Plan::new(plan.clone(), 0),
        };
        let problem = Problem { now_ms, estimates };
        let answer = self.policy.solve(&problem, &previous);
        let residual_lag = self.residual_lag.get(&(key.query.clone(), key.input.clone())).copied();
        let mut inputs = device.inputs(residual_lag);
        inputs.uplink_bytes_per_s = what_if.bandwidth.or(inputs.uplink_bytes_per_s);
        inputs.cpu_cores = what_if.cpu.or(inputs.cpu_cores);
        inputs.target_per_s = what_if.rate.or(inputs.target_per_s);
        let last = device.history.back();
        Some(Explanation {
            key: key.to_string(),
            policy: self.policy.name(),
            plan,
            best: answer.plan.shares(),
            sustained_per_s: answer.sustained_per_second,
            reasons: answer.reasons.iter().map(ToString::to_string).collect(),
            last: last.map(|decision| (decision.verdict, decision.reasons.clone())),
            inputs,
            overhead_us: problem.estimates.overhead_cpu_seconds * 1e6,
            cuts: forecasts(&problem.estimates, &answer.predictions),
        })
    }
}
