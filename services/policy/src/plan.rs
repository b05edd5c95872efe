//! Plans, what is asked of a policy, and what it answers.

use std::fmt;

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Share, Shares};

use crate::chain::Bound;
use crate::estimates::{Estimates, Prediction};

/// The share of a probe, per mille.
pub const PROBE_PER_MILLE: i32 = 20;

/// A plan as the policy keeps it: what it chose, since when, and the cut that it probes beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    base: Shares,
    probe: Option<Cut>,
    since_ms: i64,
}

impl Plan {
    /// A plan in force since `since_ms`, as a device's status or a person's command gives it.
    #[must_use]
    pub fn new(shares: Shares, since_ms: i64) -> Self {
        Self { base: shares, probe: None, since_ms }
    }

    /// The same with a small share at `cut` beside it; none if the cut is in the plan already.
    #[must_use]
    pub fn with_probe(mut self, cut: Option<Cut>) -> Self {
        self.probe = cut.filter(|cut| self.base.as_slice().iter().all(|share| share.cut != *cut));
        self
    }

    /// What was chosen, without the probe.
    #[must_use]
    pub fn base(&self) -> &Shares {
        &self.base
    }

    /// The cut that is probed.
    #[must_use]
    pub fn probe(&self) -> Option<Cut> {
        self.probe
    }

    /// Since when it is in force, epoch milliseconds.
    #[must_use]
    pub fn since_ms(&self) -> i64 {
        self.since_ms
    }

    /// What the device is told: the plan with its probe. The probe's share is taken from the largest.
    #[must_use]
    pub fn shares(&self) -> Shares {
        let Some(probe) = self.probe else { return self.base.clone() };
        let mut parts: Vec<Share> = self.base.as_slice().to_vec();
        if let Some(largest) = parts.iter_mut().max_by_key(|share| share.per_mille) {
            largest.per_mille -= PROBE_PER_MILLE;
        }
        parts.push(Share { cut: probe, per_mille: PROBE_PER_MILLE });
        // The largest of at most N + 1 shares of 1000 is above 20 for any chain that there is.
        Shares::new(parts).unwrap_or_else(|_| self.base.clone())
    }
}

/// What a policy is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Now, epoch milliseconds.
    pub now_ms: i64,
    /// What is believed of the device and input.
    pub estimates: Estimates,
}

/// What a policy answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The plan; equal to the previous one where nothing changes.
    pub plan: Plan,
    /// Why, in order.
    pub reasons: Vec<Reason>,
    /// What every cut of known costs would do.
    pub predictions: Vec<Prediction>,
    /// Source events a second that the plan sustains by the estimates.
    pub sustained_per_second: Option<f64>,
}

impl Decision {
    /// The previous plan is kept.
    #[must_use]
    pub(crate) fn keep(problem: &Problem, previous: &Plan, reasons: Vec<Reason>) -> Self {
        Self::of(problem, previous.clone(), reasons)
    }

    pub(crate) fn of(problem: &Problem, plan: Plan, mut reasons: Vec<Reason>) -> Self {
        let behind = problem.estimates.recent.cloud_behind_frames;
        reasons.extend(behind.map(|frames| Reason::CloudBehind { frames }));
        Self {
            predictions: problem.estimates.predict(),
            sustained_per_second: problem.estimates.sustained(plan.base()),
            plan,
            reasons,
        }
    }
}

/// A function from a problem and the plan in force to the next plan.
///
/// Law: `solve(p, solve(p, x).plan).plan == solve(p, x).plan`.
pub trait Policy: fmt::Debug + Send + Sync {
    /// Its name in settings, decisions and dashboards.
    fn name(&self) -> &'static str;

    /// The next plan of one device and input, and why.
    fn solve(&self, problem: &Problem, previous: &Plan) -> Decision;
}

/// Why a plan is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// The costs of a cut in force, or the CPU to be had, are not known: the plan is held.
    Unknown,
    /// No interval has begun since the plan is in force: there is nothing to judge.
    NotObserved,
    /// Nothing gets through: no plan would help.
    LinkDown,
    /// The plan in force sustains the target.
    TargetMet,
    /// The plan in force sustains less than the target.
    Short {
        /// What it sustains, events a second.
        sustained_per_second: f64,
        /// What limits it.
        bound: Bound,
    },
    /// The plan in force sustains the target, but not with the headroom that is asked for.
    ThinHeadroom {
        /// What it sustains, events a second.
        sustained_per_second: f64,
    },
    /// The least costly plan that sustains the target with headroom.
    LeastCost {
        /// Its cost in thousandths of the cost of the plan in force.
        per_mille: f64,
    },
    /// No plan sustains the target with headroom: this one sustains the most.
    MostSustained {
        /// What it sustains, events a second.
        sustained_per_second: f64,
    },
    /// No plan sustains the target under the worst of late; of those that do so now this one comes nearest.
    Bracing {
        /// What it would sustain under the worst of late, events a second.
        sustained_per_second: f64,
    },
    /// A better plan is within the dead band.
    DeadBand,
    /// A better plan waits for the minimum dwell of the one in force.
    Dwell {
        /// How long still, milliseconds.
        left_ms: i64,
    },
    /// The uplink was not the limit: it is given a bounded step more than it has been seen to carry.
    StepUp {
        /// The step's end, bytes a second.
        bytes_per_second: f64,
    },
    /// The link budget, not the link, is the limit.
    Budget {
        /// What it allows, bytes a second.
        bytes_per_second: f64,
    },
    /// A small share goes to a cut whose costs are not known.
    Probe {
        /// The cut.
        cut: Cut,
    },
    /// The paper's case 1: backpressure at the boundary; the transfer is the bandwidth.
    NetworkCase {
        /// The observed transfer, bytes a second.
        bytes_per_second: f64,
    },
    /// The paper's case 2: no backpressure at the boundary; everything moves to the cloud.
    ComputeCase,
    /// The residual job falls behind, which no plan of a device mends.
    CloudBehind {
        /// Frames that it has not committed.
        frames: u64,
    },
    /// No cut satisfies the paper's Equation 4: the one with the fewest bytes is taken.
    NoneFeasible,
}

impl Reason {
    /// Its short name: the tag of its JSON form.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::NotObserved => "not_observed",
            Self::LinkDown => "link_down",
            Self::TargetMet => "target_met",
            Self::Short { .. } => "short",
            Self::ThinHeadroom { .. } => "thin_headroom",
            Self::LeastCost { .. } => "least_cost",
            Self::MostSustained { .. } => "most_sustained",
            Self::Bracing { .. } => "bracing",
            Self::DeadBand => "dead_band",
            Self::Dwell { .. } => "dwell",
            Self::StepUp { .. } => "step_up",
            Self::Budget { .. } => "budget",
            Self::Probe { .. } => "probe",
            Self::NetworkCase { .. } => "network_case",
            Self::ComputeCase => "compute_case",
            Self::CloudBehind { .. } => "cloud_behind",
            Self::NoneFeasible => "none_feasible",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(f, "costs or CPU not known yet"),
            Self::NotObserved => write!(f, "the plan is too new to be judged"),
            Self::LinkDown => write!(f, "nothing gets through"),
            Self::TargetMet => write!(f, "the target is met"),
            Self::Short { sustained_per_second, bound } => {
                write!(f, "{bound} limits the plan in force to {sustained_per_second:.0}/s")
            }
            Self::ThinHeadroom { sustained_per_second } => {
                write!(f, "the plan in force sustains only {sustained_per_second:.0}/s")
            }
            Self::LeastCost { per_mille } => {
                write!(f, "costs {:.0} % of the plan in force", per_mille / 10.0)
            }
            Self::MostSustained { sustained_per_second } => {
                write!(f, "sustains the most: {sustained_per_second:.0}/s")
            }
            Self::Bracing { sustained_per_second } => {
                write!(f, "would sustain {sustained_per_second:.0}/s under the worst of late")
            }
            Self::DeadBand => write!(f, "a better plan is within the dead band"),
            Self::Dwell { left_ms } => {
                write!(f, "a better plan waits {:.0} s more", *left_ms as f64 / 1e3)
            }
            Self::StepUp { bytes_per_second } => {
                write!(f, "the uplink is tried up to {:.2} MB/s", bytes_per_second / 1e6)
            }
            Self::Budget { bytes_per_second } => {
                write!(f, "the link budget allows {:.2} MB/s", bytes_per_second / 1e6)
            }
            Self::Probe { cut } => write!(f, "cut {cut} is probed"),
            Self::NetworkCase { bytes_per_second } => {
                write!(f, "network: the transfer is {:.2} MB/s", bytes_per_second / 1e6)
            }
            Self::ComputeCase => write!(f, "CPU: everything to the cloud"),
            Self::CloudBehind { frames } => {
                write!(f, "the residual job falls behind, by {frames} frames now: no plan helps")
            }
            Self::NoneFeasible => {
                write!(f, "no cut fits the bandwidth: the one with the fewest bytes")
            }
        }
    }
}
