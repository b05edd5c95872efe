//! What an input tells the controller of itself.

use std::time::Instant;

use sluice_model::Cut;
use sluice_runtime::clock::now_ms;

use super::outbox::Sent;
use super::turn::Input;
use crate::machine::Order;
use crate::telemetry::Levels;

impl Input {
    /// Runs the first events of the frame at hand up to every cut, if that is due.
    pub(super) fn sample(&mut self, order: &Order) {
        // Only the newest version counts: what the older ones cost is over with their events.
        if self.versions.is_newest(order.first)
            && let Some(events) = self.telemeter.poll_sample(Instant::now())
        {
            let samples =
                self.versions.newest().sample(order, &self.batch, events, self.outbox.is_packed());
            self.telemeter.sampled(&samples);
        }
    }

    /// Counts a frame that left.
    pub(super) fn note_left(&mut self, order: &Order, cut: Cut, events: usize, bytes: usize) {
        let is_hosted = self.versions.of(order.first).is_jvm(cut);
        self.usage.worked(events, if is_hosted { events } else { 0 });
        if self.versions.is_newest(order.first) {
            self.telemeter.left(cut, events, bytes);
        }
    }

    /// Sends the counters, if that is due and the ones before have arrived.
    pub(super) fn report_telemetry(&mut self) -> anyhow::Result<()> {
        let now = Instant::now();
        if !self.telemeter.is_due(now)
            || !self.outbox.is_free(Sent::Telemetry)
            || self.outbox.is_backing_off()
            || self.report.is_superseded()
        {
            return Ok(());
        }
        let now_ms = now_ms();
        let (next, cursor) = (self.spool.next_index(), self.machine.cursor());
        let oldest_at = self.spool.oldest_accepted_at_ms()?;
        let levels = Levels {
            accepted_events: next.since(self.began_at.0),
            acked_events: cursor.since(self.began_at.1),
            backlog_events: next.since(cursor),
            spool_bytes: self.spool.bytes(),
            oldest_age_ms: oldest_at.map(|at| (now_ms - at).max(0)),
            wire_bytes: self.outbox.sent_bytes(),
            rtt: self.outbox.rtt(),
            cpu: self.usage.read(now, self.shared.engines.host_process()),
        };
        let version = self.deployment.query.version;
        let record = self.telemeter.record(now, now_ms, version, levels);
        self.outbox.send_telemetry(&self.key.to_string(), &record)
    }
}
