//! The rate of one direction of a link.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::link::Rate;

/// How much unused time may be saved up; it only evens out the timer's grain.
const BURST: Duration = Duration::from_millis(10);

/// A token bucket that runs into debt: a piece passes as soon as the bucket isn't empty and is paid off by those
/// behind it. So no piece is too large for the bucket, and the long-run rate is exact.
#[derive(Debug)]
pub(crate) struct Bucket {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    rate: Rate,
    tokens_bytes: f64,
    refilled_at: Instant,
}

impl Default for Bucket {
    fn default() -> Bucket {
        let state = State { rate: Rate::Unlimited, tokens_bytes: 0.0, refilled_at: Instant::now() };
        Bucket { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl Bucket {
    /// Sets the rate; pieces already waiting go on under the new one.
    pub(crate) fn set_rate(&self, rate: Rate) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.refill();
        state.rate = rate;
        self.changed.notify_all();
    }

    pub(crate) fn rate(&self) -> Rate {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).rate
    }

    /// Waits until `bytes` may pass; false when `closed` came true before.
    pub(crate) fn take(&self, bytes: usize, closed: impl Fn() -> bool) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if closed() {
                return false;
            }
            let Rate::BytesPerSecond(rate) = state.rate else { return true };
            state.refill();
            if state.tokens_bytes > 0.0 {
                state.tokens_bytes -= bytes as f64;
                return true;
            }
            state = if rate == 0 {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                let until_solvent_s = (1.0 - state.tokens_bytes) / rate as f64;
                let wait = Duration::from_secs_f64(until_solvent_s.min(3600.0));
                self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }

    /// Makes every waiting `take` look at its `closed` again.
    pub(crate) fn wake(&self) {
        let _state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }
}

impl State {
    fn refill(&mut self) {
        let now = Instant::now();
        if let Rate::BytesPerSecond(rate) = self.rate {
            let rate = rate as f64;
            let earned = rate * now.duration_since(self.refilled_at).as_secs_f64();
            self.tokens_bytes = (self.tokens_bytes + earned).min(rate * BURST.as_secs_f64());
        }
        self.refilled_at = now;
    }
}
