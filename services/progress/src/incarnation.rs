//! One run of an input on a device, as the reader sees it.

use std::collections::VecDeque;

use crate::{Coverage, Previous};

/// Heartbeats that wait for the frontier: the oldest, so that a frontier which is always a little behind still reaches one,
/// and the newest.
const MAX_PROMISES: usize = 2;

/// What is known of the incarnation before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Predecessor {
    Unknown,
    Nothing,
    Known(Previous),
}

#[derive(Debug)]
pub(crate) struct IncarnationProgress {
    pub coverage: Coverage,
    /// The highest `last` that any frame named.
    pub named: i64,
    pub predecessor: Predecessor,
    /// Offset of the first record that named it: while it waits, reading starts no later.
    pub mentioned_at: i64,
    promises: VecDeque<(i64, i64)>,
}

impl IncarnationProgress {
    pub fn new(mentioned_at: i64) -> Self {
        Self {
            coverage: Coverage::new(),
            named: -1,
            predecessor: Predecessor::Unknown,
            mentioned_at,
            promises: VecDeque::new(),
        }
    }

    pub fn has_hole(&self) -> bool {
        self.coverage.frontier() < self.named
    }

    /// A heartbeat promises `watermark_ms` from the moment on that the frontier has reached `last`.
    pub fn promise(&mut self, last: i64, watermark_ms: i64) {
        if self.promises.len() == MAX_PROMISES {
            self.promises.pop_back();
        }
        self.promises.push_back((last, watermark_ms));
    }

    /// The highest watermark promised for the frontier.
    pub fn kept_promises(&mut self) -> Option<i64> {
        let frontier = self.coverage.frontier();
        let kept = self
            .promises
            .iter()
            .filter(|(last, _)| *last <= frontier)
            .map(|(_, watermark)| *watermark)
            .max();
        self.promises.retain(|(last, _)| *last > frontier);
        kept
    }
}
