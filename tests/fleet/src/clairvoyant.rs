//! What could have been delivered by someone who knows every cost and limit at every moment, and switches at no price.

use sluice_model::Cut;
use sluice_policy::{Chain, Point};

use crate::profile::Profile;
use crate::script::Conditions;

/// The true chain of a device under these conditions.
#[must_use]
pub fn chain(profile: &Profile, conditions: &Conditions) -> Chain {
    let costs = profile.cpu_seconds.iter().zip(profile.wire_bytes.iter());
    let point = |(cut, (cpu, bytes)): (i32, (&f64, &f64))| Point {
        cut: Cut(cut),
        cpu_seconds: cpu + profile.overhead_seconds,
        wire_bytes: *bytes,
    };
    Chain {
        points: (0..).zip(costs).map(point).collect(),
        cpu_cores: conditions.cores,
        bytes_per_second: conditions.bytes_per_second,
    }
}

/// The greatest rate of any mix.
#[must_use]
pub fn most_sustained(profile: &Profile, conditions: &Conditions) -> f64 {
    let chain = chain(profile, conditions);
    chain.most_sustained().map_or(0.0, |mix| {
        let (cpu, bytes) = mix.cost();
        chain.sustained(cpu, bytes).0
    })
}

/// A device's queue under the best plan of each moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ideal {
    spool_events: f64,
    /// Events delivered.
    pub delivered: f64,
}

impl Ideal {
    /// What waits.
    #[must_use]
    pub fn spool_events(&self) -> f64 {
        self.spool_events
    }

    /// One step.
    pub fn step(&mut self, arrived: f64, most_per_second: f64, seconds: f64) {
        let waiting = self.spool_events + arrived;
        let delivered = waiting.min(most_per_second * seconds);
        self.spool_events = waiting - delivered;
        self.delivered += delivered;
    }
}

/// The rates of devices that share an uplink, chosen so that their sum is greatest: bytes go where they carry the most events.
///
/// A device's rate is a concave function of its bytes: first at the cut of the fewest bytes up to the CPU, then along the border of its hull.
#[must_use]
pub fn share(devices: &[(&Profile, Conditions, f64)], bytes_per_second: f64) -> Vec<f64> {
    struct Segment {
        device: usize,
        bytes: f64,
        events: f64,
    }
    let mut segments = Vec::new();
    for (device, (profile, conditions, wanted)) in devices.iter().enumerate() {
        let chain = chain(profile, conditions);
        let (mut bytes, mut events) = (0.0, 0.0);
        for point in chain.border().iter().rev() {
            let at = (conditions.cores / point.cpu_seconds).min(*wanted);
            if at <= events {
                break;
            }
            let full = conditions.cores / point.cpu_seconds;
            let at_bytes = bytes
                + (full * point.wire_bytes - bytes) * (at - events) / (full - events).max(1e-12);
            segments.push(Segment { device, bytes: at_bytes - bytes, events: at - events });
            (bytes, events) = (at_bytes, at);
        }
    }
    segments.sort_by(|a, b| (b.events / b.bytes).total_cmp(&(a.events / a.bytes)));
    let mut rates = vec![0.0; devices.len()];
    let mut left = bytes_per_second;
    for segment in segments {
        let part = (left / segment.bytes).clamp(0.0, 1.0);
        rates[segment.device] += part * segment.events;
        left -= part * segment.bytes;
    }
    rates
}

/// Equal parts for all who want that much, the rest for those who want more.
#[must_use]
pub fn fair(demands: &[f64], whole: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by(|a, b| demands[*a].total_cmp(&demands[*b]));
    let mut parts = vec![0.0; demands.len()];
    let mut left = whole;
    for (n, device) in order.iter().enumerate() {
        let equal = left / (demands.len() - n) as f64;
        // The last ones may have what nobody wants.
        parts[*device] = if n + 1 == demands.len() { left } else { demands[*device].min(equal) };
        left -= parts[*device];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{AIR, MEGABIT};

    #[test]
    fn a_link_of_ones_own_is_the_most_sustained_mix() {
        for megabits in [5.0, 20.0, 60.0, 90.0, 300.0] {
            let conditions = Conditions {
                rate: 0.0,
                bytes_per_second: megabits * MEGABIT,
                cores: 0.7,
                alive: true,
            };
            let alone = most_sustained(&AIR, &conditions);
            let shared = share(&[(&AIR, conditions, 1e9)], conditions.bytes_per_second)[0];
            assert!((alone - shared).abs() < 1e-6 * alone, "{megabits}: {alone} {shared}");
        }
    }

    #[test]
    fn what_is_not_wanted_goes_to_the_others() {
        assert_eq!(fair(&[1.0, 5.0, 9.0], 12.0), [1.0, 5.0, 6.0]);
        assert_eq!(fair(&[4.0, 4.0], 4.0), [2.0, 2.0]);
    }
}
