//! What plans are worth under the limits of now and under the worst of late.

use std::cmp::Ordering;

use sluice_model::Shares;

use crate::chain::{Bound, Chain};
use crate::estimates::Recent;
use crate::hull::{HullSettings, Prices};
use crate::plan::{Problem, Reason};

/// So far may estimates be below what is seen to be delivered.
const PROOF: f64 = 0.1;

/// A plan with what it sustains and costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Valued {
    pub shares: Shares,
    /// Events a second now.
    sustained: f64,
    bound: Option<Bound>,
    /// Events a second under the worst of late.
    worst: f64,
    cost: f64,
}

/// A problem of the hull policy: the chain now, and as it was at worst.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    settings: &'a HullSettings,
    now: Chain,
    worst: Chain,
    target: f64,
    /// What a CPU second and a byte cost.
    prices: (f64, f64),
    /// Why the uplink is not used as measured.
    pub limit: Option<Reason>,
}

impl<'a> Field<'a> {
    /// `None` where the CPU to be had is not known.
    pub fn new(settings: &'a HullSettings, problem: &Problem) -> Option<Self> {
        let estimates = &problem.estimates;
        estimates.cpu_cores?;
        let (now, limit) = uplink(settings, problem);
        let least = |now: f64, worst: Option<f64>| worst.map_or(now, |worst| worst.min(now));
        let worst = Chain {
            points: now.points.clone(),
            cpu_cores: least(now.cpu_cores, estimates.worst.cpu_cores),
            bytes_per_second: least(now.bytes_per_second, estimates.worst.bytes_per_second),
        };
        let prices = prices(settings.prices, &worst);
        let target = estimates.target_per_second;
        Some(Self { settings, now, worst, target, prices, limit })
    }

    fn aim(&self) -> f64 {
        self.target * self.settings.headroom
    }

    /// `None` if the costs of one of its cuts are not known.
    pub fn value(&self, shares: Shares) -> Option<Valued> {
        let (cpu, bytes) = self.now.cost(&shares)?;
        let (sustained, bound) = self.now.sustained(cpu, bytes);
        let (worst, _) = self.worst.sustained(cpu, bytes);
        let cost = self.prices.0 * cpu + self.prices.1 * bytes;
        Some(Valued { shares, sustained, bound, worst, cost })
    }

    /// The plan in force: what it has just delivered it sustains, whatever the estimates say; they may be wrong by a little.
    pub fn in_force(&self, shares: Shares, recent: &Recent) -> Option<Valued> {
        let mut now = self.value(shares)?;
        if !recent.missed {
            let proved = recent.acked_per_second.min(now.sustained * (1.0 + PROOF));
            now.sustained = now.sustained.max(proved);
        }
        Some(now)
    }

    /// The plan of greatest worth, whatever is in force.
    pub fn best(&self) -> Option<Valued> {
        let mix = self
            .worst
            .least_cost(self.aim(), self.prices.0, self.prices.1)
            .or_else(|| self.now.most_under(&self.worst, self.aim()))
            .or_else(|| self.now.most_sustained())?;
        let [a, b] = mix.rounded().map(|shares| self.value(shares));
        let (a, b) = (a?, b?);
        Some(if self.compare(&a, &b) == Ordering::Less { b } else { a })
    }

    /// By what is sustained now, then under the worst of late, both up to the aim, then by cost.
    fn compare(&self, a: &Valued, b: &Valued) -> Ordering {
        let up_to_aim = |rate: f64| rate.min(self.aim());
        up_to_aim(a.sustained)
            .total_cmp(&up_to_aim(b.sustained))
            .then(up_to_aim(a.worst).total_cmp(&up_to_aim(b.worst)))
            .then(b.cost.total_cmp(&a.cost))
    }

    /// The same order with dead bands.
    pub fn is_better(&self, best: &Valued, now: &Valued) -> bool {
        let HullSettings { dead_band, headroom_dead_band, least_saving, .. } = *self.settings;
        let aim = self.aim();
        if now.sustained < aim {
            let band = if self.is_short(now) { dead_band } else { headroom_dead_band };
            best.sustained.min(aim) > now.sustained * (1.0 + band)
        } else if now.worst < aim {
            best.worst.min(aim) > now.worst * (1.0 + headroom_dead_band)
        } else {
            best.cost < now.cost * (1.0 - least_saving)
        }
    }

    /// Whether the plan falls short of the target itself.
    pub fn is_short(&self, now: &Valued) -> bool {
        now.sustained < self.target
    }

    /// How the plan in force stands.
    pub fn standing(&self, now: &Valued) -> Reason {
        let sustained_per_second = now.sustained;
        match now.bound {
            Some(bound) if self.is_short(now) => Reason::Short { sustained_per_second, bound },
            _ if sustained_per_second < self.aim() => Reason::ThinHeadroom { sustained_per_second },
            _ => Reason::TargetMet,
        }
    }

    /// Why the best plan is the best.
    pub fn merit(&self, best: &Valued, now: &Valued) -> Reason {
        // Rounded to thousandths a plan may miss the aim by a hair.
        let aim = self.aim() * 0.99;
        if best.sustained < aim {
            Reason::MostSustained { sustained_per_second: best.sustained }
        } else if best.worst < aim {
            Reason::Bracing { sustained_per_second: best.worst }
        } else {
            Reason::LeastCost { per_mille: 1e3 * best.cost / now.cost }
        }
    }
}

/// The chain with the uplink as far as it may be used, and why it may not be used as measured.
fn uplink(settings: &HullSettings, problem: &Problem) -> (Chain, Option<Reason>) {
    let estimates = &problem.estimates;
    let mut chain = estimates.chain();
    let mut limit = None;
    // Where the link was not the limit, the estimate may be old and is a lower bound. More is tried only where it is needed.
    let old = |limited_at_ms| problem.now_ms - limited_at_ms >= settings.retry_ms;
    if estimates.goodput.is_some_and(|goodput| !goodput.limited && old(goodput.limited_at_ms)) {
        let step = estimates.recent.wire_bytes_per_second * (1.0 + settings.step_up);
        let most = chain.most_sustained().map_or(0.0, |mix| {
            let (cpu, bytes) = mix.cost();
            chain.sustained(cpu, bytes).0
        });
        if step > chain.bytes_per_second && most < estimates.target_per_second {
            chain.bytes_per_second = step;
            limit = Some(Reason::StepUp { bytes_per_second: step });
        }
    }
    if let Some(budget) = settings.budget {
        let bytes_per_second = budget.megabytes_per_day * 1e6 / 86_400.0;
        if bytes_per_second < chain.bytes_per_second {
            chain.bytes_per_second = bytes_per_second;
            limit = Some(Reason::Budget { bytes_per_second });
        }
    }
    (chain, limit)
}

fn prices(prices: Prices, chain: &Chain) -> (f64, f64) {
    let shares = (1.0 / chain.cpu_cores, 1.0 / chain.bytes_per_second);
    match prices.per_gigabyte {
        None => shares,
        // The shares decide between plans of equal price.
        Some(price) => {
            let hair = 1e-9 * price.max(1e-9);
            (prices.per_core_hour / 3_600.0 + hair * shares.0, price / 1e9 + hair * shares.1)
        }
    }
}
