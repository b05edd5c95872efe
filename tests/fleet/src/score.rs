//! What a run is judged by.

use std::fmt::{self, Write as _};

/// Sums over the devices of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score {
    /// Trace, policy.
    pub name: (String, String),
    /// Devices.
    pub devices: usize,
    /// Hours of simulated time.
    pub hours: f64,
    /// Events that arrived.
    pub arrived: f64,
    /// Events acknowledged.
    pub delivered: f64,
    /// Events that a clairvoyant would have delivered.
    pub clairvoyant: f64,
    /// Device-seconds in which less than 99 % of the arrivals were delivered.
    pub degraded_seconds: u64,
    /// The same for the clairvoyant.
    pub clairvoyant_degraded_seconds: u64,
    /// Changes of a plan, probes too.
    pub switches: u64,
    /// Steps of the trace's own conditions.
    pub steps: u64,
    /// Decisions.
    pub decisions: u64,
    /// CPU time of all decisions, estimators included.
    pub decision_seconds: f64,
}

impl Score {
    /// Delivered of what arrived.
    #[must_use]
    pub fn of_target(&self) -> f64 {
        self.delivered / self.arrived
    }

    /// Delivered of what the clairvoyant delivered.
    #[must_use]
    pub fn of_clairvoyant(&self) -> f64 {
        self.delivered / self.clairvoyant
    }

    /// Switches a device-hour beyond the steps of the trace.
    #[must_use]
    pub fn extra_switches(&self) -> f64 {
        (self.switches as f64 - self.steps as f64) / (self.devices as f64 * self.hours)
    }

    /// CPU time that it would take to decide for 10,000 devices once.
    #[must_use]
    pub fn round_seconds(&self) -> f64 {
        1e4 * self.decision_seconds / self.decisions.max(1) as f64
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hours = self.devices as f64 * self.hours;
        write!(
            f,
            "{:<18} {:<9} {:>6} {:>5.2} {:>8.4} {:>8.4} {:>10} {:>10} {:>8.2} {:>8.2} {:>8.3}",
            self.name.0,
            self.name.1,
            self.devices,
            self.hours,
            self.of_target(),
            self.of_clairvoyant(),
            self.degraded_seconds,
            self.clairvoyant_degraded_seconds,
            self.switches as f64 / hours,
            self.steps as f64 / hours,
            self.round_seconds(),
        )
    }
}

/// The table of some runs.
#[must_use]
pub fn table(scores: &[Score]) -> String {
    let mut text = format!(
        "{:<18} {:<9} {:>6} {:>5} {:>8} {:>8} {:>10} {:>10} {:>8} {:>8} {:>8}\n",
        "trace",
        "policy",
        "device",
        "hours",
        "/target",
        "/ideal",
        "degraded-s",
        "(ideal)",
        "switch/h",
        "step/h",
        "s/10,000"
    );
    for score in scores {
        let _ = writeln!(text, "{score}");
    }
    text
}
