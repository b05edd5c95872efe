//! The budget of bytes in flight: what the path carries in a round trip and 50 ms more (DESIGN section 3, Delivery).
//!
//! Small enough that a switch takes effect at once and that what is in flight is soon acknowledged; large enough to keep
//! the path busy. The estimates are those of BBR (Cardwell et al. 2016): the highest delivery rate and the lowest delay
//! of the last seconds.

use std::collections::VecDeque;

/// The standing queue on top of the bandwidth-delay product, milliseconds.
const SLACK_MS: i64 = 50;
/// The length of a period of the estimates, milliseconds.
const PERIOD_MS: i64 = 250;
/// How many periods the estimates look back.
const PERIODS: usize = 40;

#[derive(Debug, Clone, Copy)]
struct Period {
    began: i64,
    acked_bytes: usize,
    delay_ms: i64,
}

/// Estimates the budget from acknowledgements.
#[derive(Debug)]
pub struct Pacing {
    bounds: (usize, usize),
    periods: VecDeque<Period>,
    budget: usize,
}

impl Pacing {
    /// Begins in the middle of the bounds (least, most; bytes), for want of knowledge.
    pub fn new(bounds: (usize, usize)) -> Self {
        Self { bounds, periods: VecDeque::new(), budget: (512 << 10).clamp(bounds.0, bounds.1) }
    }

    /// The most bytes that may be in flight.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// `bytes` were acknowledged after `delay_ms`.
    pub fn handle_acknowledged(&mut self, bytes: usize, delay_ms: i64, now: i64) {
        let delay_ms = delay_ms.max(1);
        match self.periods.back_mut() {
            Some(period) if now - period.began < PERIOD_MS => {
                period.acked_bytes += bytes;
                period.delay_ms = period.delay_ms.min(delay_ms);
            }
            _ => {
                self.estimate();
                self.periods.push_back(Period { began: now, acked_bytes: bytes, delay_ms });
                if self.periods.len() > PERIODS {
                    self.periods.pop_front();
                }
            }
        }
    }

    fn estimate(&mut self) {
        let bytes = self.periods.iter().map(|period| period.acked_bytes).max();
        let delay_ms = self.periods.iter().map(|period| period.delay_ms).min();
        if let (Some(bytes), Some(delay_ms)) = (bytes, delay_ms) {
            let round = usize::try_from(delay_ms + SLACK_MS).unwrap_or(usize::MAX);
            let budget = bytes.saturating_mul(round) / PERIOD_MS as usize;
            self.budget = budget.clamp(self.bounds.0, self.bounds.1);
        }
    }
}

/// A token bucket that caps the drain of a backlog (DESIGN section 3, Delivery). It holds at most a second's worth.
#[derive(Debug)]
pub struct Bucket {
    bytes_per_s: Option<i64>,
    tokens: i64,
    filled_at: i64,
}

impl Bucket {
    /// A full bucket; without a rate it has room for ever.
    pub fn new(bytes_per_s: Option<u64>) -> Self {
        let bytes_per_s = bytes_per_s.map(|rate| i64::try_from(rate).unwrap_or(i64::MAX));
        Self { bytes_per_s, tokens: bytes_per_s.unwrap_or(0), filled_at: 0 }
    }

    /// Whether a frame may go now. It may then overdraw the bucket, so that no frame is too large for it.
    pub fn has_room(&mut self, now: i64) -> bool {
        let Some(rate) = self.bytes_per_s else { return true };
        let gained = rate.saturating_mul((now - self.filled_at).clamp(0, 60_000)) / 1_000;
        if gained > 0 {
            self.tokens = self.tokens.saturating_add(gained).min(rate);
            self.filled_at = now;
        }
        self.tokens > 0
    }

    /// Takes what a frame cost.
    pub fn take(&mut self, bytes: usize, now: i64) {
        if self.bytes_per_s.is_some() && self.has_room(now) {
            self.tokens -= i64::try_from(bytes).unwrap_or(i64::MAX / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drain_keeps_its_cap() {
        let mut bucket = Bucket::new(Some(10_000));
        let mut sent = 0;
        for now in 0..10_000 {
            if bucket.has_room(now) {
                bucket.take(700, now);
                sent += 700;
            }
        }
        assert!((100_000..=111_000).contains(&sent), "{sent}");
    }

    /// A path that carries `rate` bytes a millisecond and takes `delay_ms`, kept as busy as the budget allows.
    fn settle(rate: usize, delay_ms: i64) -> usize {
        let mut pacing = Pacing::new((64 << 10, 8 << 20));
        for now in 0..20_000 {
            let carried = rate.min(pacing.budget() / usize::try_from(delay_ms).unwrap());
            pacing.handle_acknowledged(carried, delay_ms, now);
        }
        pacing.budget()
    }

    #[test]
    fn the_budget_settles_at_what_the_path_carries() {
        let slow = settle(1_000, 100);
        assert!((140_000..=160_000).contains(&slow), "{slow}");
        let fast = settle(20_000, 40);
        assert!((1_700_000..=1_900_000).contains(&fast), "{fast}");
    }

    #[test]
    fn the_budget_stays_within_its_bounds() {
        assert_eq!(settle(1, 10), 64 << 10);
        assert_eq!(settle(1_000_000, 100), 8 << 20);
    }
}
