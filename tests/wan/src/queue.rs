//! The bytes of one direction of one connection that are under way.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// A bounded first-in first-out queue whose pieces become visible at their due time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    pieces: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    ended: bool,
}

impl Queue {
    /// Waits until less than `capacity_bytes` are under way; false when `closed` came true before.
    pub(crate) fn wait_for_room(
        &self,
        capacity_bytes: impl Fn() -> usize,
        closed: impl Fn() -> bool,
    ) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !closed() {
            if state.bytes < capacity_bytes() {
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        false
    }

    pub(crate) fn push(&self, due: Instant, piece: Vec<u8>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += piece.len();
        state.pieces.push_back((due, piece));
        self.changed.notify_all();
    }

    /// Says that no further piece follows.
    pub(crate) fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.changed.notify_all();
    }

    /// Waits for the next piece to be due; none when the queue has ended or `closed` came true.
    pub(crate) fn pop(&self, closed: impl Fn() -> bool) -> Option<Vec<u8>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !closed() {
            let wait = match state.pieces.front() {
                Some((due, _)) => Some(due.saturating_duration_since(Instant::now())),
                None if state.ended => return None,
                None => None,
            };
            state = match wait {
                Some(wait) if wait.is_zero() => {
                    let (_, piece) = state.pieces.pop_front()?;
                    state.bytes -= piece.len();
                    self.changed.notify_all();
                    return Some(piece);
                }
                Some(wait) => {
                    self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        None
    }

    /// Makes every waiting call look at its `closed` again.
    pub(crate) fn wake(&self) {
        let _state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }
}
