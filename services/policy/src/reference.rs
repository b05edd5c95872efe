//! The paper's heuristic (its section 3.3), as it stands there.
//!
//! Nothing while the target is met. Case 1, high backpressure at the boundary: the observed transfer is the bandwidth, and of the cuts that
//! satisfy Equation 4 the one with the fewest operators at the edge is taken. Case 2, low backpressure: everything to the cloud, to be
//! repaired in the next interval. With everything in the cloud only case 1 applies.
//!
//! Where the paper leaves a gap: Equation 4 is applied to the rates that the target asks for (with the rates observed under backpressure the cut
//! in force would always fit), and where no cut fits, the one with the fewest bytes is taken (the paper assumes that one fits).

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Shares};

use crate::plan::{Decision, Plan, Policy, Problem, Reason};

/// Settings of the reference policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceSettings {
    /// From this share of time that dispatch waits on, backpressure is high.
    pub high_backpressure: f64,
}

impl Default for ReferenceSettings {
    fn default() -> Self {
        Self { high_backpressure: 0.5 }
    }
}

/// The paper's heuristic.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reference {
    settings: ReferenceSettings,
}

impl Reference {
    /// With these settings.
    #[must_use]
    pub fn new(settings: ReferenceSettings) -> Self {
        Self { settings }
    }
}

impl Policy for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn solve(&self, problem: &Problem, previous: &Plan) -> Decision {
        let estimates = &problem.estimates;
        let recent = &estimates.recent;
        let keep = |reason| Decision::keep(problem, previous, vec![reason]);
        if recent.end_ms <= previous.since_ms() {
            return keep(Reason::NotObserved);
        }
        if !recent.missed {
            return keep(Reason::TargetMet);
        }
        let Some(held_share) = recent.held_share else { return keep(Reason::Unknown) };
        let all_cloud = Shares::binary(Cut(0));
        if held_share <= self.settings.high_backpressure && *previous.base() != all_cloud {
            let plan = Plan::new(all_cloud, problem.now_ms);
            return Decision::of(problem, plan, vec![Reason::ComputeCase]);
        }
        let bytes_per_second = recent.wire_bytes_per_second;
        let mut reasons = vec![Reason::NetworkCase { bytes_per_second }];
        // Equation 4 asks for bytes only: cuts of unknown CPU time are candidates too.
        let bytes = |k: usize| {
            estimates.cuts[k].wire_bytes.map(|bytes| bytes * estimates.target_per_second)
        };
        let candidates: Vec<(usize, f64)> =
            (0..estimates.cuts.len()).filter_map(|k| Some((k, bytes(k)?))).collect();
        let fits = candidates.iter().find(|(_, bytes)| *bytes <= bytes_per_second);
        let fewest = candidates.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if fits.is_none() {
            reasons.push(Reason::NoneFeasible);
        }
        let Some(cut) = fits.or(fewest).and_then(|(k, _)| i32::try_from(*k).ok()).map(Cut) else {
            return keep(Reason::Unknown);
        };
        let shares = Shares::binary(cut);
        if shares == *previous.base() {
            return Decision::keep(problem, previous, reasons);
        }
        Decision::of(problem, Plan::new(shares, problem.now_ms), reasons)
    }
}
