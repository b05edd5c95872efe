//! The reader's algebra (DESIGN section 3): what of each frame is passed on to the residual job, in which order, and how far
//! event time may go. The twin of the Java package `dev.sluice.progress`; both run the vectors in
//! `tests/vectors/progress`.
//!
//! Pure: time is passed in, frames are opaque handles. [`PartitionProgress`] is the whole of it for one partition,
//! [`Coverage`] its foundation.

mod action;
mod advance;
mod coverage;
mod device;
mod frame;
mod held;
mod incarnation;
mod limits;
mod metrics;
mod partition;

mod snapshot;

pub use action::{Action, DropReason, GapReason, GiveUpReason};
pub use coverage::{Coverage, SeqRange};
pub use frame::{Frame, FrameKind, Malformed, Previous};
pub use limits::{Limits, OnLostHole};
pub use metrics::{Counters, DeviceMetrics};
pub use partition::PartitionProgress;
pub use snapshot::{DeviceSnapshot, IncarnationSnapshot, IntervalSnapshot, PartitionSnapshot};
