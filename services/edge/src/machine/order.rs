//! What the machine tells its shell to send, and what the shell answers.

use sluice_model::{Cut, Epoch, Incarnation};
use sluice_spool::Index;
use sluice_wire::Previous;

/// A frame to build: from `first` to `end`, or as much of it as fits, but at least one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The incarnation that numbers the events.
    pub incarnation: Incarnation,
    /// The newest older incarnation that numbered an event.
    pub previous: Option<Previous>,
    /// The first event, as the spool counts.
    pub first: Index,
    /// The same, as the incarnation counts.
    pub first_seq: i64,
    /// Behind the last event that may go into the frame.
    pub end: Index,
    /// What the frame holds.
    pub content: Content,
    /// The epoch of the plan in force.
    pub epoch: Epoch,
}

/// What a frame holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Events of the spool.
    Events {
        /// The most bytes of events.
        max_bytes: usize,
        /// Where the frame leaves the edge.
        cut: Cut,
    },
    /// The declaration that the whole range is gone.
    Gap {
        /// Why.
        reason: String,
    },
}

/// What became of an [`Order`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dispatched {
    /// Behind the last event of the frame.
    pub end: Index,
    /// Size of the encoded frame.
    pub bytes: usize,
    /// The watermark that the frame justifies, if the assigner ran at the edge.
    pub watermark: Option<i64>,
    /// Messages whose deliveries make up the frame's: itself and its dead events.
    pub messages: u32,
}

/// A frame without a range, for `out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignOfLife {
    /// A `leave` in place of a heartbeat: `last` is the incarnation's end.
    pub is_leave: bool,
    /// The live incarnation.
    pub incarnation: Incarnation,
    /// The newest older incarnation that numbered an event.
    pub previous: Option<Previous>,
    /// The end of its contiguous acknowledged prefix; -1 when there is none.
    pub last: i64,
    /// The watermark of that prefix, as far as the edge knows it.
    pub watermark: Option<i64>,
    /// The epoch in force.
    pub epoch: Epoch,
}
