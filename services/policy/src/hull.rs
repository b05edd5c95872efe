//! The default policy: the best mix of at most two cuts, from measured costs and limits.
//!
//! 1. A plan is worth first what it sustains now, up to the target with headroom; then what it would sustain under the worst limits of late,
//!    up to the same; then what it saves.
//! 2. A plan that falls short is left at once. One that is only worth less than the best is left for a gain beyond the dead band, after a
//!    minimum dwell.
//! 3. Beyond what the uplink has been seen to carry it is loaded in steps; away from a limit there is no bound.
//! 4. A cut whose costs nobody has measured gets a small share while there is room for it.

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Shares};

use crate::plan::{Decision, PROBE_PER_MILLE, Plan, Policy, Problem, Reason};
use crate::worth::Field;

/// What CPU and bytes cost. Without a price of bytes, the cost of a plan is the sum of the shares of CPU and uplink that it takes, so that
/// both keep room.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// Of a gigabyte on the uplink.
    pub per_gigabyte: Option<f64>,
    /// Of a core hour on the device; counts beside a price of bytes only.
    pub per_core_hour: f64,
}

/// What the uplink may carry at most, whatever it could.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkBudget {
    /// Megabytes a day.
    pub megabytes_per_day: f64,
}

/// Settings of the hull policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HullSettings {
    /// A plan should sustain the target times this.
    pub headroom: f64,
    /// Where the target is not met, a plan that sustains less than this part more is no better.
    pub dead_band: f64,
    /// Where it is met, one whose headroom, now or under the worst of late, is greater by less than this part is no better.
    pub headroom_dead_band: f64,
    /// A plan that saves less than this part of the cost is not worth a switch.
    pub least_saving: f64,
    /// A plan that meets the target stays at least this long.
    pub dwell_ms: i64,
    /// Beyond what the uplink is seen to carry it is loaded by at most this part more per interval.
    pub step_up: f64,
    /// Not before so long after the uplink was last the limit.
    pub retry_ms: i64,
    /// A measurement of a cut older than this is made again by a probe; `None`: never.
    pub refresh_ms: Option<i64>,
    /// What CPU and bytes cost.
    pub prices: Prices,
    /// What the uplink may carry at most.
    pub budget: Option<LinkBudget>,
}

impl Default for HullSettings {
    fn default() -> Self {
        Self {
            headroom: 1.2,
            dead_band: 0.03,
            headroom_dead_band: 0.1,
            least_saving: 0.15,
            dwell_ms: 30_000,
            step_up: 0.25,
            retry_ms: 120_000,
            refresh_ms: Some(3_600_000),
            prices: Prices::default(),
            budget: None,
        }
    }
}

/// The default policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hull {
    settings: HullSettings,
}

impl Hull {
    /// With these settings.
    #[must_use]
    pub fn new(settings: HullSettings) -> Self {
        Self { settings }
    }

    /// The deepest cut whose CPU time is not known or old, if there is room for its share.
    fn probe(&self, problem: &Problem, base: &Shares) -> Option<Cut> {
        let old = |measured_at_ms: Option<i64>| match (measured_at_ms, self.settings.refresh_ms) {
            (Some(at), Some(refresh)) => problem.now_ms - at > refresh,
            (None, _) => true,
            (_, None) => false,
        };
        let cuts = problem.estimates.cuts.iter().enumerate().rev();
        let mut unknown = cuts.filter(|(_, cut)| {
            cut.cpu_seconds.is_none() || cut.wire_bytes.is_none() || old(cut.measured_at_ms)
        });
        let cut = unknown.find_map(|(k, _)| i32::try_from(k).ok()).map(Cut)?;
        let largest = base.as_slice().iter().map(|share| share.per_mille).max()?;
        let within = base.as_slice().iter().any(|share| share.cut == cut);
        (!within && largest > PROBE_PER_MILLE).then_some(cut)
    }

    /// Whether to leave the plan in force for the best one, and why.
    fn choose(&self, problem: &Problem, previous: &Plan) -> (Option<Shares>, Vec<Reason>) {
        let recent = &problem.estimates.recent;
        if recent.end_ms <= previous.since_ms() {
            return (None, vec![Reason::NotObserved]);
        }
        if recent.missed && recent.acked_per_second <= 0.0 {
            return (None, vec![Reason::LinkDown]);
        }
        let Some(field) = Field::new(&self.settings, problem) else {
            return (None, vec![Reason::Unknown]);
        };
        let now = field.in_force(previous.base().clone(), recent);
        let (Some(best), Some(now)) = (field.best(), now) else {
            return (None, vec![Reason::Unknown]);
        };
        let mut reasons = vec![field.standing(&now)];
        if best.shares == now.shares {
            return (None, reasons);
        }
        if !field.is_better(&best, &now) {
            reasons.push(Reason::DeadBand);
            return (None, reasons);
        }
        let left_ms = previous.since_ms() + self.settings.dwell_ms - problem.now_ms;
        if !field.is_short(&now) && left_ms > 0 {
            reasons.push(Reason::Dwell { left_ms });
            return (None, reasons);
        }
        reasons.extend(field.limit);
        reasons.push(field.merit(&best, &now));
        (Some(best.shares), reasons)
    }
}

impl Policy for Hull {
    fn name(&self) -> &'static str {
        "hull"
    }

    fn solve(&self, problem: &Problem, previous: &Plan) -> Decision {
        let (chosen, mut reasons) = self.choose(problem, previous);
        if matches!(reasons[..], [Reason::NotObserved | Reason::LinkDown]) {
            return Decision::keep(problem, previous, reasons);
        }
        let base = chosen.as_ref().unwrap_or_else(|| previous.base());
        let probe = self.probe(problem, base);
        reasons.extend(probe.map(|cut| Reason::Probe { cut }));
        let plan = match chosen {
            Some(shares) => Plan::new(shares, problem.now_ms),
            None => previous.clone(),
        };
        Decision::of(problem, plan.with_probe(probe), reasons)
    }
}
