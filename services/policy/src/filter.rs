//! Filters that forget: nothing that one report says stays for good.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// A quotient of two sums whose terms lose half their weight every half-life: many small samples weigh as much as one large one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Ratio {
    over: f64,
    under: f64,
}

impl Ratio {
    /// Adds a term after the earlier ones have aged.
    pub fn add(&mut self, over: f64, under: f64, seconds: f64, half_life_seconds: f64) {
        let kept = (-seconds / half_life_seconds).exp2();
        self.over = self.over * kept + over;
        self.under = self.under * kept + under;
    }

    /// The quotient, once at least `least` stands below the line.
    pub fn get(&self, least: f64) -> Option<f64> {
        (self.under >= least && self.under > 0.0).then(|| self.over / self.under)
    }
}

/// The greatest of the samples of a window of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WindowedMax {
    /// Falling: a sample that is not above a later one will never be the greatest.
    samples: VecDeque<(i64, f64)>,
}

impl WindowedMax {
    /// Adds a sample and forgets those that are older than `window_ms`.
    pub fn add(&mut self, at_ms: i64, value: f64, window_ms: i64) {
        while self.samples.back().is_some_and(|(_, last)| *last <= value) {
            self.samples.pop_back();
        }
        self.samples.push_back((at_ms, value));
        while self.samples.front().is_some_and(|(then, _)| at_ms - then > window_ms) {
            self.samples.pop_front();
        }
    }

    pub fn clear(&mut self) {
        self.samples.clear();
    }

    pub fn get(&self) -> Option<f64> {
        self.samples.front().map(|(_, value)| *value)
    }
}

/// Whether a sample is so far from what is known that it is no noise.
pub(crate) fn is_jump(known: f64, sample: f64, jump: f64) -> bool {
    (sample - known).abs() > jump * known
}

pub(crate) fn average(known: f64, sample: f64) -> f64 {
    0.5 * (known + sample)
}
