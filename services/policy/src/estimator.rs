//! From observations to estimates.

use serde::{Deserialize, Serialize};

use crate::estimates::{CutEstimate, Estimates, Recent};
use crate::filter::{Ratio, average, is_jump};
use crate::lag::LagFilter;
use crate::link::LinkFilter;
use crate::observation::{CutInterval, Observation};

/// How fast the estimator learns and forgets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimatorSettings {
    /// Costs per event lose half their weight in this time.
    pub half_life_seconds: f64,
    /// Fewer source events than this are no measurement of a cut.
    pub least_events: f64,
    /// How long a rate stands that the link was seen to carry without being the limit.
    pub goodput_window_ms: i64,
    /// Share of the interval that events must have been queued for it to measure the link.
    pub least_queued_share: f64,
    /// From this share on the link, and not the source, was the limit.
    pub limited_share: f64,
    /// A change beyond this part of the old value is taken at once instead of being averaged.
    pub jump: f64,
    /// The worst of late comes half way back to the present in this time.
    pub worst_half_life_seconds: f64,
    /// How long the CPU that an overloaded chain got stays the most that it can have.
    pub overload_ms: i64,
    /// The residual job is behind if its least lag grows from one such time to the next.
    pub lag_window_ms: i64,
}

impl Default for EstimatorSettings {
    fn default() -> Self {
        Self {
            half_life_seconds: 60.0,
            least_events: 8.0,
            goodput_window_ms: 600_000,
            least_queued_share: 0.05,
            limited_share: 0.5,
            jump: 0.15,
            worst_half_life_seconds: 1_800.0,
            overload_ms: 60_000,
            lag_window_ms: 60_000,
        }
    }
}

/// Costs of one cut.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct CutFilter {
    cpu: Ratio,
    wire: Ratio,
    out: Ratio,
    measured_at_ms: Option<i64>,
}

/// Keeps the estimates of one device and input.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimator {
    settings: EstimatorSettings,
    cuts: Vec<CutFilter>,
    overhead: Ratio,
    link: LinkFilter,
    lag: LagFilter,
    /// Whether the target was missed in the interval before the last.
    missed_before: bool,
    /// CPU that an overloaded chain got, and until when that bounds the estimate.
    overload: Option<(f64, i64)>,
    estimates: Estimates,
}

impl Estimator {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(settings: EstimatorSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// What is believed now.
    #[must_use]
    pub fn estimates(&self) -> &Estimates {
        &self.estimates
    }

    /// Learns from one interval; one without length teaches nothing.
    pub fn observe(&mut self, seen: &Observation) {
        if seen.seconds <= 0.0 || !seen.seconds.is_finite() {
            return;
        }
        self.learn_costs(seen);
        self.learn_recent(seen);
        let Estimates { goodput, recent, .. } = &mut self.estimates;
        *goodput = self.link.learn(&self.settings, seen, recent, *goodput);
        self.learn_overhead(seen);
        self.learn_cpu(seen);
        self.learn_worst(seen.seconds);
        if let Some(rtt) = seen.link.rtt_seconds {
            self.estimates.rtt_seconds = Some(rtt);
        }
    }

    fn learn_costs(&mut self, seen: &Observation) {
        let EstimatorSettings { half_life_seconds, least_events, .. } = self.settings;
        // A version with another number of operators begins anew.
        if self.cuts.len() != seen.cuts.len() {
            self.cuts = vec![CutFilter::default(); seen.cuts.len()];
        }
        for (filter, cut) in self.cuts.iter_mut().zip(&seen.cuts) {
            let CutInterval { sample_events, left_events, .. } = *cut;
            let add = |ratio: &mut Ratio, over, under| {
                ratio.add(over, under, seen.seconds, half_life_seconds);
            };
            add(&mut filter.cpu, cut.sample_cpu_seconds, sample_events);
            add(&mut filter.out, cut.sample_out_events, sample_events);
            let bytes = cut.sample_wire_bytes + cut.left_wire_bytes;
            add(&mut filter.wire, bytes, sample_events + left_events);
            if sample_events > 0.0 {
                filter.measured_at_ms = Some(seen.at_ms);
            }
        }
        // A cut once measured stays known: old knowledge is better than none, and its age stands beside it.
        let known = std::mem::take(&mut self.estimates.cuts);
        let known = |k: usize| known.get(k).copied().unwrap_or_default();
        self.estimates.cuts = self
            .cuts
            .iter()
            .enumerate()
            .map(|(k, filter)| CutEstimate {
                cpu_seconds: filter.cpu.get(least_events).or(known(k).cpu_seconds),
                wire_bytes: filter.wire.get(least_events).or(known(k).wire_bytes),
                out_events: filter.out.get(least_events).or(known(k).out_events),
                measured_at_ms: filter.measured_at_ms,
            })
            .collect();
    }

    fn learn_recent(&mut self, seen: &Observation) {
        let arrived = seen.arrived_events / seen.seconds;
        let acked = seen.acked_events / seen.seconds;
        let offered = seen.target_per_second.map_or(arrived, |target| target.min(arrived));
        let older = |now: u64, then: u64| (now as f64 - then as f64) / 1e3 > seen.seconds / 2.0;
        self.missed_before = self.estimates.recent.missed;
        let before = self.estimates.recent.backlog;
        let grows = matches!((seen.backlog, before), (Some(now), Some(then)) if older(now.oldest_ms, then.oldest_ms));
        self.estimates.recent = Recent {
            begin_ms: seen.begin_ms(),
            end_ms: seen.at_ms,
            arrived_per_second: arrived,
            acked_per_second: acked,
            missed: acked < MET * offered || grows,
            held_share: seen.link.held_seconds.map(|held| held / seen.seconds),
            wire_bytes_per_second: seen.cuts.iter().map(|cut| cut.left_wire_bytes).sum::<f64>()
                / seen.seconds,
            backlog: seen.backlog,
            residual_lag_frames: seen.residual_lag_frames,
            cloud_behind_frames: self.lag.learn(
                seen.at_ms,
                seen.residual_lag_frames,
                self.settings.lag_window_ms,
            ),
        };
        let target = &mut self.estimates.target_per_second;
        *target = match seen.target_per_second {
            Some(set) => set,
            None if arrived > *target || (*target - arrived) > self.settings.jump * *target => {
                arrived
            }
            None => average(*target, arrived),
        };
    }

    fn learn_overhead(&mut self, seen: &Observation) {
        let Some(used) = seen.cpu.used_seconds else { return };
        let left: f64 = seen.cuts.iter().map(|cut| cut.left_events).sum();
        if left < self.settings.least_events {
            return;
        }
        let known = |(cut, now): (&CutEstimate, &CutInterval)| match cut.cpu_seconds {
            Some(cpu) => Some(cpu * now.left_events),
            None => (now.left_events == 0.0).then_some(0.0),
        };
        let chain: Option<f64> = self.estimates.cuts.iter().zip(&seen.cuts).map(known).sum();
        let Some(chain) = chain else { return };
        let overhead = (used - chain).max(0.0);
        self.overhead.add(overhead, left, seen.seconds, self.settings.half_life_seconds);
        // Part of the overhead is per second and not per event: when the rate has just risen, only the last interval tells.
        let mean = self.overhead.get(0.0).unwrap_or(0.0);
        self.estimates.overhead_cpu_seconds = mean.min(overhead / left);
    }

    fn learn_cpu(&mut self, seen: &Observation) {
        let Some(limit) = seen.cpu.limit_cores else { return };
        let used = seen.cpu.used_seconds;
        let used_cores = used.map_or(0.0, |used| used / seen.seconds);
        // Of the time that the agent wanted to run, the part that it did: what others took of each core. While a quota holds it back, its
        // threads count as waiting too.
        let throttled = seen.cpu.throttled_seconds.unwrap_or(0.0);
        let waited = (seen.cpu.run_queue_seconds.unwrap_or(0.0) - throttled).max(0.0);
        let got = match used {
            Some(used) if used + waited > 0.0 => used / (used + waited),
            _ => 1.0,
        };
        let cores = (limit * got).max(used_cores.min(limit));
        let known = self.estimates.cpu_cores;
        let mut cores = match known {
            Some(known) if !is_jump(known, cores, self.settings.jump) => average(known, cores),
            _ => cores,
        };
        // Target missed throughout: all the time dispatch waited for the link or ran. What it got while it ran is all that it can have.
        let recent = &self.estimates.recent;
        if self.missed_before && recent.missed && recent.acked_per_second > 0.0 {
            let running = 1.0 - recent.held_share.unwrap_or(1.0).clamp(0.0, 1.0);
            let got = used_cores / running.max(1e-3);
            if running > 0.3 && got < 0.85 * cores && got > 0.2 * cores {
                self.overload = Some((got, seen.at_ms + self.settings.overload_ms));
            }
        }
        if let Some((most, until_ms)) = self.overload {
            if seen.at_ms < until_ms && used_cores <= most * 1.1 {
                cores = cores.min(most);
            } else {
                self.overload = None;
            }
        }
        self.estimates.cpu_cores = Some(cores);
    }

    fn learn_worst(&mut self, seconds: f64) {
        let kept = (-seconds / self.settings.worst_half_life_seconds).exp2();
        let worst = |known: Option<f64>, now: Option<f64>| match (known, now) {
            (Some(known), Some(now)) => Some(now.min(now + kept * (known - now))),
            (known, now) => now.or(known),
        };
        let Estimates { worst: known, cpu_cores, goodput, .. } = &mut self.estimates;
        known.cpu_cores = worst(known.cpu_cores, *cpu_cores);
        let goodput = goodput.map(|goodput| goodput.bytes_per_second);
        known.bytes_per_second = worst(known.bytes_per_second, goodput);
    }
}

/// Delivered from this part of the target on counts as met.
pub(crate) const MET: f64 = 0.99;
