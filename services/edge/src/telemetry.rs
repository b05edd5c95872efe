//! What one input counts for the controller: counters that only grow, and samples that say what each cut would cost.
//!
//! Operators before a cut run fused, so nobody sees the time of one of them. About once a second the first events of a
//! frame are run once more, up to each cut, and thrown away: cost and size of every cut are known, of those too that the
//! plan does not use. A sample takes `SAMPLE_TIME` at most or so, half a percent of a processor.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sluice_model::{CpuCounters, Cut, CutCounters, EdgeCounters, Telemetry};

/// The time between two samples.
const SAMPLE_EVERY: Duration = Duration::from_secs(1);
/// What a sample may take, all cuts together.
const SAMPLE_TIME: Duration = Duration::from_millis(5);
/// Bounds of the events in a sample.
const SAMPLE_EVENTS: (usize, usize) = (8, 256);

/// What a sample gave at one cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The cut.
    pub cut: Cut,
    /// Source events that were run.
    pub events: usize,
    /// What came out.
    pub out_events: usize,
    /// Processor time that it took.
    pub busy: Duration,
    /// Bytes of the frame.
    pub bytes: usize,
    /// What compression leaves of a frame's bytes, with what Kafka adds.
    pub packed_ratio: f64,
}

/// Counts for one input since its start.
#[derive(Debug)]
pub struct Telemeter {
    boot: String,
    began: Instant,
    every: Duration,
    counters: EdgeCounters,
    /// The last turn: when, and what was acknowledged by cut then.
    turn_at: Instant,
    acked_bytes: Vec<i64>,
    /// By cut: what samples say of compression.
    packed_ratio: Vec<Option<f64>>,
    sent_at: Option<Instant>,
    sampled_at: Option<Instant>,
    sample_events: usize,
}

/// What an input says of its present state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Levels {
    /// Events accepted since the start.
    pub accepted_events: u64,
    /// Events acknowledged since the start.
    pub acked_events: u64,
    /// Events accepted and not acknowledged.
    pub backlog_events: u64,
    /// Bytes in the spool.
    pub spool_bytes: u64,
    /// Age of the oldest spooled event, milliseconds.
    pub oldest_age_ms: Option<i64>,
    /// Bytes sent to the broker.
    pub wire_bytes: u64,
    /// The quickest round trip of late.
    pub rtt: Option<Duration>,
    /// What it has of the processors.
    pub cpu: CpuCounters,
}

impl Telemeter {
    /// Counts from 0 for the start named `boot`, of an input with `operators` operators.
    #[must_use]
    pub fn new(boot: String, operators: i32, every: Duration) -> Self {
        let cuts = usize::try_from(operators).unwrap_or(0) + 1;
        let counters =
            EdgeCounters { cuts: vec![CutCounters::default(); cuts], ..EdgeCounters::default() };
        let now = Instant::now();
        Self {
            boot,
            began: now,
            every,
            counters,
            turn_at: now,
            acked_bytes: vec![0; cuts],
            packed_ratio: vec![None; cuts],
            sent_at: None,
            sampled_at: None,
            sample_events: SAMPLE_EVENTS.1,
        }
    }

    /// A turn of the loop is over: whether dispatch waited for the budget all the while, and the bytes acknowledged so far by
    /// cut.
    pub fn turn(&mut self, now: Instant, was_held: bool, acked_bytes: &BTreeMap<Cut, u64>) {
        if was_held {
            self.counters.held_us += micros(now - self.turn_at);
        }
        for (cut, bytes) in acked_bytes {
            let at = index(*cut);
            let Some(known) = self.acked_bytes.get_mut(at) else { continue };
            let bytes = i64::try_from(*bytes).unwrap_or(i64::MAX);
            let more = bytes - std::mem::replace(known, bytes);
            if was_held {
                self.counters.held_acked_packed_bytes += self.packed(at, more);
            }
        }
        self.turn_at = now;
    }

    /// A frame left.
    pub fn left(&mut self, cut: Cut, events: usize, bytes: usize) {
        let (events, bytes) = (count(events), count(bytes));
        let packed_bytes = self.packed(index(cut), bytes);
        if let Some(counters) = self.counters.cuts.get_mut(index(cut)) {
            counters.left_events += events;
            counters.left_bytes += bytes;
            counters.left_packed_bytes += packed_bytes;
        }
    }

    /// What becomes of bytes of frames on the wire.
    fn packed(&self, at: usize, bytes: i64) -> i64 {
        let ratio = self.packed_ratio.get(at).copied().flatten().unwrap_or(1.0);
        (bytes as f64 * ratio) as i64
    }

    /// Events were copied to the dead topic.
    pub fn dead(&mut self, events: usize) {
        self.counters.dead_events += count(events);
    }

    /// How many events of the frame at hand are to be sampled; none if no sample is due.
    pub fn poll_sample(&mut self, now: Instant) -> Option<usize> {
        let due = self.sampled_at.is_none_or(|at| now - at >= SAMPLE_EVERY);
        due.then(|| {
            self.sampled_at = Some(now);
            self.sample_events
        })
    }

    /// Takes a sample, and fits the size of the next one to its time.
    pub fn sampled(&mut self, samples: &[Sample]) {
        for sample in samples {
            let at = index(sample.cut);
            if let Some(ratio) = self.packed_ratio.get_mut(at) {
                *ratio = Some(sample.packed_ratio);
            }
            let packed_bytes = self.packed(at, count(sample.bytes));
            let Some(counters) = self.counters.cuts.get_mut(at) else { continue };
            counters.sample_events += count(sample.events);
            counters.sample_out_events += count(sample.out_events);
            counters.sample_busy_us += micros(sample.busy);
            counters.sample_packed_bytes += packed_bytes;
        }
        let events = samples.iter().map(|sample| sample.events).max().unwrap_or(0);
        let busy: Duration = samples.iter().map(|sample| sample.busy).sum();
        let most = events as f64 * SAMPLE_TIME.as_secs_f64() / busy.as_secs_f64().max(1e-6);
        self.sample_events = (most as usize).clamp(SAMPLE_EVENTS.0, SAMPLE_EVENTS.1);
    }

    /// Whether a record is due.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.sent_at.is_none_or(|at| now - at >= self.every)
    }

    /// The record to send now.
    pub fn record(&mut self, now: Instant, now_ms: i64, version: i32, levels: Levels) -> Telemetry {
        self.sent_at = Some(now);
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.counters = EdgeCounters {
            accepted_events: count(levels.accepted_events),
            acked_events: count(levels.acked_events),
            backlog_events: count(levels.backlog_events),
            spool_bytes: count(levels.spool_bytes),
            oldest_age_ms: levels.oldest_age_ms,
            wire_bytes: count(levels.wire_bytes),
            rtt_us: levels.rtt.map(micros),
            cpu: levels.cpu,
            ..std::mem::take(&mut self.counters)
        };
        Telemetry {
            boot: self.boot.clone(),
            uptime_us: micros(now - self.began),
            at: now_ms,
            version,
            edge: Some(self.counters.clone()),
            replica: None,
        }
    }
}

fn index(cut: Cut) -> usize {
    usize::try_from(cut.0).unwrap_or(usize::MAX)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn telemeter() -> (Telemeter, Instant) {
        let telemeter = Telemeter::new("b".to_owned(), 1, Duration::from_secs(1));
        let began = telemeter.began;
        (telemeter, began)
    }

    #[test]
    fn bytes_count_for_the_link_only_while_dispatch_waits_for_it() {
        let (mut telemeter, began) = telemeter();
        let at = |ms| began + Duration::from_millis(ms);
        telemeter.turn(at(10), false, &[(Cut(0), 100)].into());
        telemeter.turn(at(30), true, &[(Cut(0), 150), (Cut(1), 7)].into());
        telemeter.turn(at(40), false, &[(Cut(0), 900), (Cut(9), 1)].into());
        let edge = telemeter.record(at(50), 5, 1, Levels::default()).edge.unwrap();
        assert_eq!((edge.held_us, edge.held_acked_packed_bytes), (20_000, 57));
    }

    #[test]
    fn a_sample_is_due_once_a_second_and_fits_its_time() {
        let (mut telemeter, began) = telemeter();
        assert_eq!(telemeter.poll_sample(began), Some(256));
        assert_eq!(telemeter.poll_sample(began + Duration::from_millis(999)), None);
        let busy = Duration::from_millis(20);
        let (bytes, packed_ratio) = (1_000, 0.5);
        telemeter.sampled(&[Sample {
            cut: Cut(1),
            events: 256,
            out_events: 3,
            busy,
            bytes,
            packed_ratio,
        }]);
        assert_eq!(telemeter.poll_sample(began + Duration::from_secs(1)), Some(64));
        telemeter.left(Cut(1), 10, 100);
        let edge = telemeter.record(began, 5, 1, Levels::default()).edge.unwrap();
        assert_eq!((edge.cuts[1].sample_packed_bytes, edge.cuts[1].left_packed_bytes), (500, 50));
        assert_eq!((edge.cuts[1].sample_out_events, edge.cuts[1].sample_busy_us), (3, 20_000));
    }

    #[test]
    fn counters_grow_from_record_to_record() {
        let (mut telemeter, began) = telemeter();
        telemeter.left(Cut(1), 10, 100);
        telemeter.record(began, 5, 1, Levels::default());
        telemeter.left(Cut(1), 10, 100);
        telemeter.left(Cut(7), 10, 100);
        assert!(!telemeter.is_due(began + Duration::from_millis(999)));
        let record = telemeter.record(began + Duration::from_secs(1), 6, 1, Levels::default());
        let edge = record.edge.unwrap();
        assert_eq!((edge.cuts[1].left_events, edge.cuts[1].left_bytes), (20, 200));
        assert_eq!((record.uptime_us, record.at), (1_000_000, 6));
    }
}
