//! How far the residual job's watermark is behind the events that the devices have accepted.

use std::collections::VecDeque;
use std::time::Instant;

use sluice_generators::Generator;

use super::{LINKS, Options};
use crate::case::Case;

/// Knows when which watermark became possible: the devices' generators, run along with what they have accepted.
pub(super) struct Lag {
    devices: Vec<(Generator, u64)>,
    /// How far the watermark is behind the highest event time.
    bound_ms: i64,
    /// The highest possible watermark by the time of the look.
    possible: VecDeque<(Instant, i64)>,
}

impl Lag {
    pub(super) fn new(options: &Options) -> Lag {
        let devices = (0..LINKS.len() as u32)
            .map(|device| (options.query.generator(options.seed, device), 0));
        let bound_ms = Case::of(options.query).bound_ms;
        Lag { devices: devices.collect(), bound_ms, possible: VecDeque::new() }
    }

    /// Takes how many events each device has accepted.
    pub(super) fn accepted(&mut self, now: Instant, accepted: impl Iterator<Item = u64>) {
        let mut line = Vec::new();
        for ((generator, lines), accepted) in self.devices.iter_mut().zip(accepted) {
            for _ in *lines..accepted {
                line.clear();
                generator.next_line(&mut line);
            }
            *lines = accepted.max(*lines);
        }
        let latest =
            self.devices.iter().map(|(generator, _)| generator.latest_ms()).min().flatten();
        self.possible.extend(latest.map(|latest| (now, latest - self.bound_ms)));
    }

    /// Seconds since the watermark that the job has now was possible; times between two looks are taken as linear.
    pub(super) fn seconds(&mut self, now: Instant, watermark_ms: i64) -> Option<f64> {
        while self.possible.get(1).is_some_and(|(_, possible)| *possible <= watermark_ms) {
            self.possible.pop_front();
        }
        let (at, possible) = *self.possible.front()?;
        let since = (now - at).as_secs_f64();
        let (Some((later, next)), true) = (self.possible.get(1), watermark_ms > possible) else {
            return Some(since);
        };
        let part = (watermark_ms - possible) as f64 / (next - possible) as f64;
        Some(since - (*later - at).as_secs_f64() * part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_lag_is_the_age_of_the_watermark() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut lag = Lag { devices: Vec::new(), bound_ms: 1, possible: VecDeque::new() };
        assert_eq!(lag.seconds(start, 0), None);
        lag.possible = [(at(0), 100), (at(1000), 200), (at(2000), 300)].into();
        assert_eq!(lag.seconds(at(2000), 50), Some(2.0));
        assert_eq!(lag.seconds(at(2000), 150), Some(1.5));
        assert_eq!(lag.seconds(at(2000), 250), Some(0.5));
        assert_eq!(lag.seconds(at(2000), 300), Some(0.0));
        assert_eq!(lag.seconds(at(3000), 900), Some(1.0));
    }

    #[test]
    fn accepted_events_make_watermarks_possible() {
        let mut lag = Lag::new(&Options::default());
        lag.accepted(Instant::now(), [0, 0, 0].into_iter());
        assert!(lag.possible.is_empty());
        lag.accepted(Instant::now(), [1000, 2000, 3000].into_iter());
        lag.accepted(Instant::now(), [2000, 2000, 3000].into_iter());
        assert!(lag.possible[0].1 < lag.possible[1].1);
    }
}
