//! What a worker counts for the controller. The engine is counted from outside: whoever runs it need not know.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use sluice_engine::{Dead, Engine, EngineError, FrameOutcome};
use sluice_model::{ReplicaCounters, Telemetry, telemetry::replica_key};
use sluice_runtime::clock;
use sluice_wire::{Event, EventsBuffer, record};

use crate::plan::StagePlan;

/// The time between records.
const EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Counts {
    events_in: AtomicI64,
    events_out: AtomicI64,
    bytes_in: AtomicI64,
    bytes_out: AtomicI64,
    busy_us: AtomicI64,
    dead_events: AtomicI64,
}

fn add(count: &AtomicI64, more: usize) {
    count.fetch_add(i64::try_from(more).unwrap_or(i64::MAX), Ordering::Relaxed);
}

/// An engine whose work is counted.
pub struct Counted {
    engine: Box<dyn Engine + Send>,
    counts: Arc<Counts>,
}

impl Engine for Counted {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let counts = &self.counts;
        let (events_before, bytes_before) = (out.count(), out.byte_len());
        let (mut events_in, mut bytes_in) = (0, 0);
        let mut events = events.inspect(|event| {
            events_in += 1;
            bytes_in += event.value.map_or(0, <[u8]>::len);
        });
        let began = Instant::now();
        let outcome = self.engine.run_frame(&mut events, out, dead)?;
        add(&counts.events_in, events_in);
        add(&counts.bytes_in, bytes_in);
        let busy = i64::try_from(began.elapsed().as_micros()).unwrap_or(i64::MAX);
        counts.busy_us.fetch_add(busy, Ordering::Relaxed);
        add(&counts.events_out, out.count() - events_before);
        add(&counts.bytes_out, out.byte_len() - bytes_before);
        counts.dead_events.fetch_add(i64::from(outcome.dead), Ordering::Relaxed);
        Ok(outcome)
    }
}

/// Makes the records of a worker.
pub struct Telemeter {
    counts: Arc<Counts>,
    boot: String,
    began: Instant,
    sent_at: Instant,
    /// Registry id of the record; none where the query was deployed before there was one.
    schema_id: Option<i32>,
    /// The key of the records.
    pub key: String,
}

impl Telemeter {
    /// Counts what `engine` does for `plan`, from 0.
    #[must_use]
    pub fn around(engine: Box<dyn Engine + Send>, plan: &StagePlan) -> (Self, Counted) {
        let counts = Arc::new(Counts::default());
        let random =
            std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), plan.topic.as_bytes());
        let now = Instant::now();
        let telemeter = Self {
            counts: counts.clone(),
            boot: format!("{random:016x}-{}", std::process::id()),
            began: now,
            sent_at: now,
            schema_id: plan.telemetry_schema_id,
            key: replica_key(&plan.query, &plan.input, plan.stage),
        };
        (telemeter, Counted { engine, counts })
    }

    /// The next record as a message, if one is due.
    pub fn poll(&mut self, plan: &StagePlan) -> Option<Vec<u8>> {
        let schema_id = self.schema_id.filter(|_| self.sent_at.elapsed() >= EVERY)?;
        self.sent_at = Instant::now();
        let read = |count: &AtomicI64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        let counters = ReplicaCounters {
            from: plan.stage,
            to: plan.to,
            events_in: read(&counts.events_in),
            events_out: read(&counts.events_out),
            bytes_in: read(&counts.bytes_in),
            bytes_out: read(&counts.bytes_out),
            busy_us: read(&counts.busy_us),
            dead_events: read(&counts.dead_events),
        };
        let telemetry = Telemetry {
            boot: self.boot.clone(),
            uptime_us: i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX),
            at: clock::now_ms(),
            version: plan.version,
            edge: None,
            replica: Some(counters),
        };
        record::encode(schema_id, &telemetry).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Doubling;

    impl Engine for Doubling {
        fn run_frame<'a>(
            &mut self,
            events: &mut dyn Iterator<Item = Event<'a>>,
            out: &mut EventsBuffer,
            _: &mut dyn FnMut(&Event<'a>, Dead),
        ) -> Result<FrameOutcome, EngineError> {
            for event in events {
                out.push(event.delta, None, event.value);
                out.push(event.delta, None, event.value);
            }
            Ok(FrameOutcome { dead: 1, ..FrameOutcome::default() })
        }
    }

    #[test]
    fn what_goes_in_and_comes_out_is_counted() {
        let counts = Arc::new(Counts::default());
        let mut counted = Counted { engine: Box::new(Doubling), counts: counts.clone() };
        let mut out = EventsBuffer::new();
        let events = [0, 1].map(|delta| Event { delta, time: None, value: Some(&[7, 7, 7]) });
        counted.run_frame(&mut events.into_iter(), &mut out, &mut |_, _| {}).unwrap();
        let read = |count: &AtomicI64| count.load(Ordering::Relaxed);
        assert_eq!((read(&counts.events_in), read(&counts.events_out)), (2, 4));
        assert_eq!((read(&counts.bytes_in), read(&counts.dead_events)), (6, 1));
        assert_eq!(read(&counts.bytes_out), i64::try_from(out.byte_len()).unwrap());
    }
}
