//! The budget of bytes in flight: what the path carries in a round trip and 50 ms more (DESIGN section 3, Delivery).
//!
//! Small enough that a switch takes effect at once and that what is in flight is soon acknowledged; large enough to keep
//! the path busy. As TCP Vegas does (Brakmo and Peterson 1995), it looks at the delay that the frames in flight make for
//! each other: while they make none and dispatch waits for the budget, the path may carry more. The delivery rate tells
//! less: where the budget is too small, so is the rate, and one seems to fit the other.

use std::collections::VecDeque;

/// The least standing queue that is kept while dispatch waits for the budget, milliseconds; with it, a quarter of the
/// delay without a queue, since what is late by chance grows with it.
const SLACK_MS: i64 = 50;
/// A queue of so many times this is worked off.
const TOO_LONG: i64 = 3;
/// The shortest round, milliseconds: enough acknowledgements that the quickest of them waited for nothing but the queue.
const ROUND_MS: i64 = 250;
/// After so many rounds with a queue the budget is halved for one, to see the delay without it.
const LOOK_AFTER: usize = 40;
/// How many rounds the delay without a queue is remembered.
const ROUNDS: usize = LOOK_AFTER + 4;

/// Acknowledgements that came together.
#[derive(Debug, Clone, Copy)]
struct Round {
    began: i64,
    /// The delay of the quickest, milliseconds.
    delay_ms: i64,
}

/// Finds the budget from the delays of acknowledgements.
#[derive(Debug)]
pub struct Pacing {
    bounds: (usize, usize),
    budget: usize,
    round: Option<Round>,
    /// Whether dispatch waited for the budget in this round.
    held: bool,
    /// The delays of the last rounds, oldest first.
    delays_ms: VecDeque<i64>,
    /// Until the first queue is seen, the budget doubles.
    doubling: bool,
    /// Rounds since the delay was last seen without a queue.
    queued_rounds: usize,
}

impl Pacing {
    /// Begins with twice the least of the bounds (least, most; bytes).
    pub fn new(bounds: (usize, usize)) -> Self {
        Self {
            bounds,
            budget: (2 * bounds.0).min(bounds.1),
            round: None,
            held: false,
            delays_ms: VecDeque::new(),
            doubling: true,
            queued_rounds: 0,
        }
    }

    /// The most bytes that may be in flight.
    pub fn budget(&self) -> usize {
        let is_looking = self.queued_rounds >= LOOK_AFTER;
        let budget = if is_looking { self.budget / 2 } else { self.budget };
        budget.max(self.bounds.0)
    }

    /// Dispatch waits for the budget.
    pub fn handle_held(&mut self) {
        self.held = true;
    }

    /// Something was acknowledged after `delay_ms`.
    pub fn handle_acknowledged(&mut self, delay_ms: i64, now: i64) {
        let delay_ms = delay_ms.max(1);
        match &mut self.round {
            Some(round) if now - round.began < ROUND_MS.max(round.delay_ms) => {
                round.delay_ms = round.delay_ms.min(delay_ms);
            }
            round => {
                let ended = round.replace(Round { began: now, delay_ms });
                if let Some(ended) = ended {
                    self.end_round(ended.delay_ms);
                }
                self.held = false;
            }
        }
    }

    fn end_round(&mut self, delay_ms: i64) {
        self.delays_ms.push_back(delay_ms);
        if self.delays_ms.len() > ROUNDS {
            self.delays_ms.pop_front();
        }
        let base_ms = self.delays_ms.iter().copied().min().unwrap_or(delay_ms);
        let queue_ms = delay_ms - base_ms;
        let slack_ms = SLACK_MS + base_ms / 4;
        if queue_ms > TOO_LONG * slack_ms {
            // What the path carries in the delay that is wanted; the delay may also come from an outage.
            let wanted = scaled(self.budget, base_ms + slack_ms, delay_ms);
            self.budget = wanted.max(self.budget / 2);
            self.doubling = false;
        } else if queue_ms >= slack_ms {
            self.doubling = false;
        } else if self.held && self.queued_rounds < LOOK_AFTER {
            let grown = if self.doubling { 2 * self.budget } else { self.budget / 4 * 5 };
            self.budget = grown;
        }
        self.budget = self.budget.clamp(self.bounds.0, self.bounds.1);
        self.queued_rounds = match self.queued_rounds {
            _ if !self.held => 0,
            rounds if rounds >= LOOK_AFTER => 0,
            rounds => rounds + 1,
        };
    }
}

fn scaled(bytes: usize, by: i64, of: i64) -> usize {
    let by = usize::try_from(by).unwrap_or(0);
    bytes.saturating_mul(by) / usize::try_from(of).unwrap_or(1).max(1)
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

    /// Rounds of this delay, dispatch waiting for the budget all the time.
    fn held_rounds(pacing: &mut Pacing, rounds: i64, delay_ms: i64, now: &mut i64) {
        for _ in 0..rounds {
            *now += ROUND_MS.max(delay_ms);
            pacing.handle_held();
            pacing.handle_acknowledged(delay_ms, *now);
        }
    }

    #[test]
    fn the_budget_grows_while_it_makes_no_queue_and_stays_within_its_bounds() {
        let (mut pacing, mut now) = (Pacing::new((64 << 10, 8 << 20)), 0);
        assert_eq!(pacing.budget(), 128 << 10);
        held_rounds(&mut pacing, 12, 40, &mut now);
        assert_eq!(pacing.budget(), 8 << 20);
        held_rounds(&mut pacing, 4, 4_000, &mut now);
        assert!(pacing.budget() < 2 << 20, "{}", pacing.budget());
        held_rounds(&mut pacing, 12, 4_000, &mut now);
        assert_eq!(pacing.budget(), 64 << 10);
    }

    #[test]
    fn a_device_that_is_not_held_keeps_its_budget() {
        let mut pacing = Pacing::new((64 << 10, 8 << 20));
        for round in 0..100 {
            pacing.handle_acknowledged(40, round * ROUND_MS);
        }
        assert_eq!(pacing.budget(), 128 << 10);
    }
}
