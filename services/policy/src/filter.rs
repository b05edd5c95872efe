//! Filters that forget: nothing that one report says stays for good.

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

/// The greatest of the samples of a window of time and number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WindowedMax {
    samples: Vec<(i64, f64)>,
}

impl WindowedMax {
    /// Adds a sample and forgets those that are older than `window_ms` or more than `most`.
    pub fn add(&mut self, at_ms: i64, value: f64, window_ms: i64, most: usize) {
        self.samples.push((at_ms, value));
        self.samples.retain(|(then, _)| at_ms - then <= window_ms);
        let surplus = self.samples.len().saturating_sub(most);
        self.samples.drain(..surplus);
    }

    pub fn clear(&mut self) {
        self.samples.clear();
    }

    pub fn get(&self) -> Option<f64> {
        self.samples.iter().map(|(_, value)| *value).max_by(f64::total_cmp)
    }
}
