//! One device as fluid queues: source, spool, edge CPU, uplink with an in-flight budget.

use sluice_model::{Shares, WHOLE_PER_MILLE};

use crate::profile::Profile;
use crate::script::Conditions;

/// Round trip to the broker, seconds.
pub const RTT_SECONDS: f64 = 0.02;
/// What the in-flight budget holds beyond a round trip, seconds.
const BUDGET_SECONDS: f64 = 0.05;

/// What happened since the start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Events that arrived.
    pub arrived: f64,
    /// Events acknowledged.
    pub acked: f64,
    /// Events that left at each cut.
    pub left: Vec<f64>,
    /// CPU time used, seconds.
    pub cpu_seconds: f64,
    /// Time that threads waited for a core, seconds.
    pub run_queue_seconds: f64,
    /// Time that dispatch waited for the budget, seconds.
    pub held_seconds: f64,
    /// Bytes acknowledged in steps in which it did: the last of a wait ends it, so that all count.
    pub held_bytes: f64,
}

/// A device.
#[derive(Debug, Clone)]
pub struct Device {
    profile: Profile,
    shares: Vec<f64>,
    cpu_seconds: f64,
    wire_bytes: f64,
    spool_events: f64,
    in_flight_events: f64,
    in_flight_bytes: f64,
    /// What happened since the start.
    pub totals: Totals,
}

impl Device {
    /// A device with an empty spool.
    #[must_use]
    pub fn new(profile: Profile, shares: &Shares) -> Self {
        let cuts = profile.cpu_seconds.len();
        let mut device = Self {
            profile,
            shares: Vec::new(),
            cpu_seconds: 0.0,
            wire_bytes: 0.0,
            spool_events: 0.0,
            in_flight_events: 0.0,
            in_flight_bytes: 0.0,
            totals: Totals { left: vec![0.0; cuts], ..Totals::default() },
        };
        device.route(shares);
        device
    }

    /// Takes a plan.
    pub fn route(&mut self, shares: &Shares) {
        self.shares = vec![0.0; self.profile.cpu_seconds.len()];
        for share in shares.as_slice() {
            if let Ok(cut) = usize::try_from(share.cut.0) {
                self.shares[cut] = f64::from(share.per_mille) / f64::from(WHOLE_PER_MILLE);
            }
        }
        let mean =
            |costs: &[f64]| -> f64 { self.shares.iter().zip(costs).map(|(s, c)| s * c).sum() };
        self.cpu_seconds = self.profile.overhead_seconds + mean(&self.profile.cpu_seconds);
        self.wire_bytes = mean(&self.profile.wire_bytes);
    }

    /// Events in the spool.
    #[must_use]
    pub fn spool_events(&self) -> f64 {
        self.spool_events
    }

    /// Bytes that it would send in a step if the link let it.
    #[must_use]
    pub fn demand_bytes(&self, conditions: &Conditions, seconds: f64) -> f64 {
        let events = self.spool_events + conditions.rate * seconds;
        let by_cpu = conditions.cores * seconds / self.cpu_seconds;
        self.in_flight_bytes + events.min(by_cpu) * self.wire_bytes
    }

    /// One step with `arrived` events and a link of so many bytes a second.
    pub fn step(
        &mut self,
        conditions: &Conditions,
        bytes_per_second: f64,
        arrived: f64,
        seconds: f64,
    ) {
        let budget = bytes_per_second * (RTT_SECONDS + BUDGET_SECONDS);
        let room = (budget - self.in_flight_bytes).max(0.0) + bytes_per_second * seconds;
        let waiting = self.spool_events + arrived;
        let by_cpu = conditions.cores * seconds / self.cpu_seconds;
        let by_link = room / self.wire_bytes;
        let sent = waiting.min(by_cpu).min(by_link);
        self.spool_events = waiting - sent;
        self.in_flight_events += sent;
        self.in_flight_bytes += sent * self.wire_bytes;
        let drained = self.in_flight_bytes.min(bytes_per_second * seconds);
        let part = if self.in_flight_bytes > 0.0 { drained / self.in_flight_bytes } else { 1.0 };
        let acked = self.in_flight_events * part;
        self.in_flight_events -= acked;
        self.in_flight_bytes -= drained;
        self.count(conditions, arrived, sent, acked, seconds);
        if by_link < waiting.min(by_cpu) {
            self.totals.held_bytes += drained;
            self.totals.held_seconds += seconds * (1.0 - sent / by_cpu);
        }
    }

    fn count(
        &mut self,
        conditions: &Conditions,
        arrived: f64,
        sent: f64,
        acked: f64,
        seconds: f64,
    ) {
        let totals = &mut self.totals;
        totals.arrived += arrived;
        totals.acked += acked;
        for (left, share) in totals.left.iter_mut().zip(&self.shares) {
            *left += sent * share;
        }
        let used = sent * self.cpu_seconds;
        totals.cpu_seconds += used;
        // Others take their part of each core: for each second of work so much waiting.
        let got = conditions.cores / self.profile.cores;
        totals.run_queue_seconds += (used * (1.0 - got) / got).min(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{MEGABIT, WORKED};
    use sluice_model::{Cut, Share};

    const CONDITIONS: Conditions =
        Conditions { rate: 26_000.0, bytes_per_second: 16.0 * MEGABIT, cores: 0.2, alive: true };

    fn delivered_per_second(parts: &[(i32, i32)]) -> f64 {
        let share = |&(cut, per_mille)| Share { cut: Cut(cut), per_mille };
        let shares = Shares::new(parts.iter().map(share).collect()).unwrap();
        let mut device = Device::new(WORKED.clone(), &shares);
        for _ in 0..1_000 {
            device.step(&CONDITIONS, CONDITIONS.bytes_per_second, 2_600.0, 0.1);
        }
        let totals = &device.totals;
        let kept = device.spool_events() + device.in_flight_events;
        assert!((totals.arrived - totals.acked - kept).abs() < 1e-3, "events are conserved");
        let left: f64 = totals.left.iter().sum();
        assert!((left - totals.acked - device.in_flight_events).abs() < 1e-3);
        totals.acked / 100.0
    }

    #[test]
    fn a_device_delivers_what_the_limits_allow() {
        let near = |found: f64, expected: f64| (found - expected).abs() < 0.005 * expected;
        assert!(near(delivered_per_second(&[(0, 1_000)]), 10_000.0));
        assert!(near(delivered_per_second(&[(1, 1_000)]), 16_667.0));
        assert!(near(delivered_per_second(&[(2, 1_000)]), 22_222.0));
        assert!(near(delivered_per_second(&[(0, 174), (2, 826)]), 26_000.0));
    }
}
