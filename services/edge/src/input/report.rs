//! What an input says of itself, and when.

use sluice_model::{DeployedQuery, DeviceStatus, Hello, ReadyVersion, Refusal};
use sluice_spool::Spool;

use crate::machine::Machine;

/// A status at least this often (DESIGN section 2), milliseconds.
const STATUS_MS: i64 = 30_000;
/// The shortest time between two statuses, milliseconds.
const STATUS_REST_MS: i64 = 200;
const METER_MS: i64 = 250;

/// The part of a status that only the input knows, and the times of its reports.
pub struct Report {
    /// The last refused command.
    pub refusal: Option<Refusal>,
    ready: ReadyVersion,
    changed: bool,
    superseded: bool,
    was_drained: bool,
    status_at: i64,
    metered_at: i64,
}

impl Report {
    pub fn new(query: &DeployedQuery) -> Self {
        Self {
            refusal: None,
            ready: ReadyVersion { version: query.version, digest: query.digest.clone() },
            changed: false,
            superseded: false,
            was_drained: false,
            status_at: -STATUS_MS,
            metered_at: 0,
        }
    }

    /// Something changed that people should see.
    pub fn touch(&mut self) {
        self.changed = true;
    }

    /// A newer incarnation lives elsewhere: this one says no more.
    pub fn supersede(&mut self) {
        self.superseded = true;
    }

    pub fn is_superseded(&self) -> bool {
        self.superseded
    }

    /// Whether a status is due; the end of a bounded source's drain is a change too.
    pub fn is_due(&mut self, now: i64, drained: bool) -> bool {
        self.changed |= drained && !self.was_drained;
        self.was_drained = drained;
        let rest = if self.changed { STATUS_REST_MS } else { STATUS_MS };
        now - self.status_at >= rest
    }

    pub fn is_metering_due(&mut self, now: i64) -> bool {
        let due = now - self.metered_at >= METER_MS;
        if due {
            self.metered_at = now;
        }
        due
    }

    /// A status was sent.
    pub fn sent(&mut self, now: i64) {
        self.status_at = now;
        self.changed = false;
    }

    pub fn hello(&self, nonce: &str, now_ms: i64) -> DeviceStatus {
        DeviceStatus::of_hello(Hello { nonce: nonce.to_owned(), started_at: now_ms })
    }

    pub fn status(
        &self,
        machine: &Machine,
        spool: &Spool,
        now_ms: i64,
    ) -> anyhow::Result<DeviceStatus> {
        let next = spool.next_index();
        Ok(DeviceStatus {
            incarnation: machine.live(),
            plan: Some(machine.plan().clone()),
            acked_seq: machine.acked_seq(),
            next_seq: spool.runs().last().map_or(0, |run| run.seq(next)),
            spool_bytes: i64::try_from(spool.bytes())?,
            spool_oldest_at: spool.oldest_accepted_at_ms()?,
            ready: vec![self.ready.clone()],
            refusal: self.refusal.clone(),
            ..DeviceStatus::empty(now_ms)
        })
    }
}
