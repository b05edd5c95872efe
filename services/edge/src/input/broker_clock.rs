//! The broker's clock, as far as a device knows it.

use std::time::Instant;

/// The broker's clock: the newest append time seen, run on with ours.
#[derive(Default)]
pub struct BrokerClock {
    newest: Option<(i64, Instant)>,
}

impl BrokerClock {
    pub fn note(&mut self, broker_ms: i64) {
        if broker_ms > self.now() {
            self.newest = Some((broker_ms, Instant::now()));
        }
    }

    pub fn now(&self) -> i64 {
        self.newest
            .map_or(0, |(at, seen)| at + i64::try_from(seen.elapsed().as_millis()).unwrap_or(0))
    }
}
