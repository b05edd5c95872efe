//! What a device reports: counters with noise, some of them lost, repeated or late.

use fastrand::Rng;
use sluice_policy::{Backlog, Counters, CutCounters};

use crate::device::{Device, RTT_SECONDS, Totals};
use crate::profile::Profile;

/// Events of each second that are run through every cut.
const SAMPLE_EVENTS: f64 = 200.0;
/// At most this part of the arrivals is sampled.
const SAMPLE_PART: f64 = 0.05;

/// Makes the reports of one device.
#[derive(Debug, Clone)]
pub struct Reporter {
    profile: Profile,
    random: Rng,
    /// Standard deviation of what is measured, as a part of it.
    noise: f64,
    boot: String,
    before: Totals,
    /// Measured, with noise: sums of what each report added.
    measured: Measured,
    late: Option<Counters>,
}

#[derive(Debug, Clone, Default)]
struct Measured {
    sample_events: f64,
    sample_cpu: Vec<f64>,
    sample_bytes: Vec<f64>,
    left_bytes: Vec<f64>,
    cpu: f64,
    run_queue: f64,
    held_bytes: f64,
}

impl Reporter {
    /// Of a device that starts now.
    #[must_use]
    pub fn new(profile: Profile, device: usize, seed: u64, noise: f64) -> Self {
        let cuts = profile.cpu_seconds.len();
        let stream = seed.wrapping_mul(7_368_787).wrapping_add(device as u64);
        let zeros = vec![0.0; cuts];
        Self {
            profile,
            random: Rng::with_seed(stream),
            noise,
            boot: format!("boot-{device}"),
            before: Totals { left: zeros.clone(), ..Totals::default() },
            measured: Measured {
                sample_cpu: zeros.clone(),
                sample_bytes: zeros.clone(),
                left_bytes: zeros,
                ..Measured::default()
            },
            late: None,
        }
    }

    /// A factor around 1: the sum of four uniform numbers is normal enough.
    fn noisy(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.random.f64() - 0.5).sum();
        (1.0 + self.noise * sum * 3.0_f64.sqrt()).max(0.05)
    }

    /// The reports that arrive now: mostly one, sometimes none, two, or an old one behind a new one.
    pub fn report(
        &mut self,
        device: &Device,
        rate: f64,
        at_ms: i64,
        seconds: f64,
    ) -> Vec<Counters> {
        let counters = self.counters(device, rate, at_ms, seconds);
        let mut arriving = Vec::with_capacity(2);
        let fate = self.random.f64();
        if fate < 0.02 {
            // Lost.
        } else if fate < 0.03 {
            arriving.extend([counters.clone(), counters]);
        } else if fate < 0.04 {
            self.late = Some(counters);
        } else {
            arriving.push(counters);
            arriving.extend(self.late.take());
        }
        arriving
    }

    fn counters(&mut self, device: &Device, rate: f64, at_ms: i64, seconds: f64) -> Counters {
        let now = &device.totals;
        let sampled = (SAMPLE_EVENTS.min(SAMPLE_PART * rate)) * seconds;
        self.measured.sample_events += sampled;
        for cut in 0..self.profile.cpu_seconds.len() {
            let cpu = sampled * self.profile.cpu_seconds[cut] * self.noisy();
            self.measured.sample_cpu[cut] += cpu;
            let bytes = self.profile.wire_bytes[cut];
            self.measured.sample_bytes[cut] += sampled * bytes * self.noisy();
            let left = now.left[cut] - self.before.left[cut];
            self.measured.left_bytes[cut] += left * bytes * self.noisy();
        }
        self.measured.cpu += (now.cpu_seconds - self.before.cpu_seconds) * self.noisy();
        self.measured.run_queue +=
            (now.run_queue_seconds - self.before.run_queue_seconds) * self.noisy();
        self.measured.held_bytes += (now.held_bytes - self.before.held_bytes) * self.noisy();
        self.before.clone_from(now);
        let measured = &self.measured;
        let cut = |k: usize| CutCounters {
            sample_events: whole(measured.sample_events),
            sample_cpu_us: micros(measured.sample_cpu[k]),
            sample_out_events: whole(measured.sample_events),
            sample_wire_bytes: whole(measured.sample_bytes[k]),
            left_events: whole(now.left[k]),
            left_wire_bytes: whole(measured.left_bytes[k]),
        };
        let spool = device.spool_events();
        Counters {
            boot: self.boot.clone(),
            up_us: u64::try_from(at_ms).unwrap_or(0) * 1_000,
            at_ms,
            arrived_events: whole(now.arrived),
            acked_events: whole(now.acked),
            cuts: (0..self.profile.cpu_seconds.len()).map(cut).collect(),
            cpu_us: Some(micros(measured.cpu)),
            limit_cores: Some(self.profile.cores),
            throttled_us: Some(0),
            run_queue_us: Some(micros(measured.run_queue)),
            held_us: Some(micros(now.held_seconds)),
            queued_us: Some(micros(now.held_seconds)),
            queued_acked_wire_bytes: Some(whole(measured.held_bytes)),
            rtt_us: Some(micros(RTT_SECONDS)),
            backlog: Some(Backlog {
                events: whole(spool),
                bytes: whole(spool * self.profile.wire_bytes[0]),
                oldest_ms: whole(1e3 * spool / rate.max(1.0)),
            }),
            ..Counters::default()
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counters are positive and small"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

fn micros(seconds: f64) -> u64 {
    whole(seconds * 1e6)
}
