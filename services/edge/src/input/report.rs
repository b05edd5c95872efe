//! What an input says of itself, and when.

use sluice_model::{DeviceStatus, Hello, ReadyVersion, Refusal};
use sluice_spool::Spool;

use crate::machine::Machine;

/// A status at least this often (DESIGN section 2), milliseconds.
const STATUS_MS: i64 = 30_000;
/// The shortest time between two statuses, milliseconds.
const STATUS_REST_MS: i64 = 200;
const METER_MS: i64 = 250;

/// The part of a status that only the input knows, and the times of its reports.
pub struct Report {
    /// The last refused command, with the time when the broker appended it.
    refusal: Option<(i64, Refusal)>,
    /// Why a newer version is not followed.
    pub unfit: Option<String>,
    /// The versions that run here.
    ready: Vec<ReadyVersion>,
    changed: bool,
    superseded: bool,
    was_drained: bool,
    status_at: i64,
    metered_at: i64,
}

impl Report {
    pub fn new(ready: Vec<ReadyVersion>) -> Self {
        Self {
            refusal: None,
            unfit: None,
            ready,
            changed: false,
            superseded: false,
            was_drained: false,
            status_at: -STATUS_MS,
            metered_at: 0,
        }
    }

    /// A command was refused. Commands of several partitions are read in any order.
    pub fn note_refusal(&mut self, refusal: Refusal, broker_ms: i64) {
        if self.refusal.as_ref().is_none_or(|(at, _)| broker_ms >= *at) {
            self.refusal = Some((broker_ms, refusal));
        }
    }

    /// The versions that run here, as far as is known now.
    pub fn set_ready(&mut self, ready: Vec<ReadyVersion>) {
        self.changed |= self.ready != ready;
        self.ready = ready;
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
            ready: self.ready.clone(),
            refusal: self.refusal.as_ref().map(|(_, refusal)| refusal.clone()),
            ..DeviceStatus::empty(now_ms)
        })
    }
}
