//! The default policy: the best mix of at most two cuts, from measured costs and limits.
//!
//! 1. If some mix sustains the target with headroom, the least costly of them is best; else the one that sustains the most.
//! 2. A plan that falls short is left at once. One with thin headroom, or one that costs more than it need, is left only for a gain
//!    beyond the dead band and after a minimum dwell.
//! 3. Beyond what the uplink has been seen to carry it is loaded in steps; away from a limit there is no bound.
//! 4. A cut whose costs nobody has measured gets a small share while there is room for it.

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Shares};

use crate::chain::{Bound, Chain};
use crate::estimates::Estimates;
use crate::plan::{Decision, PROBE_PER_MILLE, Plan, Policy, Problem, Reason};

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
    /// A plan that sustains less than this part more is no better.
    pub dead_band: f64,
    /// A plan that saves less than this part of the cost is not worth a switch.
    pub least_saving: f64,
    /// A plan that meets the target stays at least this long.
    pub dwell_ms: i64,
    /// Beyond what the uplink is seen to carry it is loaded by at most this part more per interval.
    pub step_up: f64,
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
            least_saving: 0.15,
            dwell_ms: 60_000,
            step_up: 0.25,
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

/// A plan with what it sustains and costs.
struct Valued {
    shares: Shares,
    sustained_per_second: f64,
    bound: Option<Bound>,
    cost: f64,
}

impl Hull {
    /// With these settings.
    #[must_use]
    pub fn new(settings: HullSettings) -> Self {
        Self { settings }
    }

    /// The chain with the uplink as far as it may be used, and why it may not be used as measured.
    fn chain(&self, estimates: &Estimates) -> (Chain, Option<Reason>) {
        let mut chain = estimates.chain();
        let mut reason = None;
        // Where the link was not the limit, the estimate may be old, and is a lower bound only.
        if let Some(goodput) = estimates.goodput.filter(|goodput| !goodput.limited) {
            let step = estimates.recent.wire_bytes_per_second * (1.0 + self.settings.step_up);
            if step > goodput.bytes_per_second {
                chain.bytes_per_second = step;
                reason = Some(Reason::StepUp { bytes_per_second: step });
            }
        }
        if let Some(budget) = self.settings.budget {
            let bytes_per_second = budget.megabytes_per_day * 1e6 / 86_400.0;
            if bytes_per_second < chain.bytes_per_second {
                chain.bytes_per_second = bytes_per_second;
                reason = Some(Reason::Budget { bytes_per_second });
            }
        }
        (chain, reason)
    }

    /// What a CPU second and a byte cost.
    fn prices(&self, chain: &Chain) -> (f64, f64) {
        let shares = (1.0 / chain.cpu_cores, 1.0 / chain.bytes_per_second);
        match self.settings.prices.per_gigabyte {
            None => shares,
            // The shares decide between plans of equal price.
            Some(price) => {
                let hair = 1e-9 * price.max(1e-9);
                (
                    self.settings.prices.per_core_hour / 3_600.0 + hair * shares.0,
                    price / 1e9 + hair * shares.1,
                )
            }
        }
    }

    fn value(&self, chain: &Chain, shares: Shares) -> Option<Valued> {
        let (cpu, bytes) = chain.cost(&shares)?;
        let (cpu_price, byte_price) = self.prices(chain);
        let (sustained_per_second, bound) = chain.sustained(cpu, bytes);
        let cost = cpu_price * cpu + byte_price * bytes;
        Some(Valued { shares, sustained_per_second, bound, cost })
    }

    /// The best plan, whatever is in force.
    fn best(&self, chain: &Chain, target_per_second: f64) -> Option<(Valued, bool)> {
        let aim = target_per_second * self.settings.headroom;
        let (cpu_price, byte_price) = self.prices(chain);
        let least = chain.least_cost(aim, cpu_price, byte_price);
        let affordable = least.is_some();
        let rounded = least.or_else(|| chain.most_sustained())?.rounded();
        let [a, b] = rounded.map(|shares| self.value(chain, shares));
        let (a, b) = (a?, b?);
        let better = if affordable {
            // Of two that sustain the aim the cheaper; rounding may leave one or none.
            match (a.sustained_per_second >= aim, b.sustained_per_second >= aim) {
                (true, true) if b.cost < a.cost => b,
                (true, _) => a,
                (false, true) => b,
                (false, false) if b.sustained_per_second > a.sustained_per_second => b,
                (false, false) => a,
            }
        } else if b.sustained_per_second > a.sustained_per_second {
            b
        } else {
            a
        };
        Some((better, affordable))
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
        let estimates = &problem.estimates;
        let settings = &self.settings;
        if estimates.recent.end_ms <= previous.since_ms() {
            return (None, vec![Reason::NotObserved]);
        }
        if estimates.cpu_cores.is_none() {
            return (None, vec![Reason::Unknown]);
        }
        if estimates.recent.missed && estimates.recent.acked_per_second <= 0.0 {
            return (None, vec![Reason::LinkDown]);
        }
        let target = estimates.target_per_second;
        let (chain, limit) = self.chain(estimates);
        let Some((best, affordable)) = self.best(&chain, target) else {
            return (None, vec![Reason::Unknown]);
        };
        let Some(now) = self.value(&chain, previous.base().clone()) else {
            return (None, vec![Reason::Unknown]);
        };
        if best.shares == now.shares {
            return (None, vec![self.standing(&now, target)]);
        }
        let mut reasons = vec![self.standing(&now, target)];
        let aim = target * settings.headroom;
        let short = now.sustained_per_second < target;
        let better = if now.sustained_per_second < aim {
            best.sustained_per_second.min(aim)
                > now.sustained_per_second * (1.0 + settings.dead_band)
        } else {
            best.cost < now.cost * (1.0 - settings.least_saving)
        };
        if !better {
            reasons.push(Reason::DeadBand);
            return (None, reasons);
        }
        let left_ms = previous.since_ms() + settings.dwell_ms - problem.now_ms;
        if !short && left_ms > 0 {
            reasons.push(Reason::Dwell { left_ms });
            return (None, reasons);
        }
        reasons.extend(limit);
        reasons.push(if affordable {
            Reason::LeastCost { per_mille: 1e3 * best.cost / now.cost }
        } else {
            Reason::MostSustained { sustained_per_second: best.sustained_per_second }
        });
        (Some(best.shares), reasons)
    }

    fn standing(&self, now: &Valued, target: f64) -> Reason {
        let sustained_per_second = now.sustained_per_second;
        match now.bound {
            Some(bound) if sustained_per_second < target => {
                Reason::Short { sustained_per_second, bound }
            }
            _ if sustained_per_second < target * self.settings.headroom => {
                Reason::ThinHeadroom { sustained_per_second }
            }
            _ => Reason::TargetMet,
        }
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
