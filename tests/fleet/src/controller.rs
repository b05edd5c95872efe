//! The controller's part for one device: the crate that the real controller runs.

use sluice_model::Shares;
use sluice_policy::{
    Counters, Decision, Differ, Estimates, Estimator, EstimatorSettings, Plan, Policy, Problem,
};

/// Estimates and plan of one device.
#[derive(Debug, Clone)]
pub struct Controller {
    differ: Differ,
    estimator: Estimator,
    plan: Plan,
    last_seen_ms: Option<i64>,
}

/// Without a report for so long the plan is held.
const STALE_MS: i64 = 30_000;

impl Controller {
    /// Of a device with this plan.
    #[must_use]
    pub fn new(shares: Shares) -> Self {
        Self {
            differ: Differ::default(),
            estimator: Estimator::new(EstimatorSettings::default()),
            plan: Plan::new(shares, 0),
            last_seen_ms: None,
        }
    }

    /// Takes a report.
    pub fn take(&mut self, counters: Counters) {
        if let Some(seen) = self.differ.take(counters) {
            self.estimator.observe(&seen);
            self.last_seen_ms = Some(seen.at_ms);
        }
    }

    /// Decides; nothing without fresh reports.
    pub fn decide(&mut self, policy: &dyn Policy, now_ms: i64) -> Option<Decision> {
        let fresh = self.last_seen_ms.is_some_and(|seen| now_ms - seen <= STALE_MS);
        if !fresh {
            return None;
        }
        let problem = Problem { now_ms, estimates: self.estimator.estimates().clone() };
        let decision = policy.solve(&problem, &self.plan);
        self.plan = decision.plan.clone();
        Some(decision)
    }

    /// What it believes of the device.
    #[must_use]
    pub fn estimates(&self) -> &Estimates {
        self.estimator.estimates()
    }

    /// The plan in force.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}
