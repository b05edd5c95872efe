//! What an input on a device says of itself in `sluice.status`.

use serde::{Deserialize, Serialize};

use crate::{Epoch, Incarnation, PlanInForce};

/// The first message of a start: its offset becomes the incarnation (DESIGN section 3, Identity).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Tells this hello from those of other starts.
    pub nonce: String,
    /// The device's clock, epoch milliseconds.
    pub started_at: i64,
}

/// A deployed version that the device can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyVersion {
    /// The version.
    pub version: i32,
    /// The digest of the deployed plan.
    pub digest: String,
}

/// A command that was not followed, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The epoch the command would have had.
    pub epoch: Epoch,
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub text: String,
}

/// The value of a record of `sluice.status` (schemas/DeviceStatus.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceStatus {
    /// Set in records under the key `query/input/device/hello` only.
    pub hello: Option<Hello>,
    /// The live incarnation; none before the broker gave its number.
    pub incarnation: Option<Incarnation>,
    /// The plan in force.
    pub plan: Option<PlanInForce>,
    /// The end of the contiguous acknowledged prefix; -1 when nothing is acknowledged.
    pub acked_seq: i64,
    /// The seq that the next accepted event gets.
    pub next_seq: i64,
    /// Bytes in the spool.
    pub spool_bytes: i64,
    /// When the oldest spooled event was accepted, epoch milliseconds.
    pub spool_oldest_at: Option<i64>,
    /// The versions the device can run.
    pub ready: Vec<ReadyVersion>,
    /// The last refused command.
    pub refusal: Option<Refusal>,
    /// Why the input does not run, for people; empty while it does.
    pub note: String,
    /// The device's clock, epoch milliseconds.
    pub at: i64,
}

impl DeviceStatus {
    /// The record of a hello.
    #[must_use]
    pub fn of_hello(hello: Hello) -> Self {
        let at = hello.started_at;
        Self { hello: Some(hello), ..Self::empty(at) }
    }

    /// A status that knows nothing yet.
    #[must_use]
    pub fn empty(at: i64) -> Self {
        Self {
            hello: None,
            incarnation: None,
            plan: None,
            acked_seq: -1,
            next_seq: 0,
            spool_bytes: 0,
            spool_oldest_at: None,
            ready: Vec::new(),
            refusal: None,
            note: String::new(),
            at,
        }
    }
}
