//! Cumulative counters of one device and input, and their differences.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::observation::{Backlog, CpuInterval, CutInterval, LinkInterval, Observation};

/// Ended boots that are remembered, so that a late report of one is known as such.
const REMEMBERED_BOOTS: usize = 8;

/// What one cut has cost since the boot.
///
/// The sample is of every cut, used or not: some source events are run through the operators `1..k`, encoded and compressed, and thrown
/// away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CutCounters {
    /// Source events of the sample.
    pub sample_events: u64,
    /// CPU time (not wall time) that the sample took: operators, encoding and compression, microseconds.
    pub sample_cpu_us: u64,
    /// Events that came out of the sample.
    pub sample_out_events: u64,
    /// Bytes that the sample would have put on the wire, compressed.
    pub sample_wire_bytes: u64,
    /// Source events that left the edge at this cut.
    pub left_events: u64,
    /// Bytes that they put on the wire, compressed.
    pub left_wire_bytes: u64,
}

/// What an agent reports of one input: counters since the boot, and the present state of what is no counter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Which run of the agent counted; another word for every start.
    pub boot: String,
    /// Time since the boot, by the agent's steady clock, microseconds.
    pub up_us: u64,
    /// When the report was made, epoch milliseconds (broker time).
    pub at_ms: i64,
    /// Source events that arrived.
    pub arrived_events: u64,
    /// Source events acknowledged by the broker.
    pub acked_events: u64,
    /// Events that went to the dead letters.
    pub dead_events: u64,
    /// The rate to be sustained, where one is set; else the arrivals are the target.
    pub target_per_second: Option<f64>,
    /// Per cut `0..=N`.
    pub cuts: Vec<CutCounters>,
    /// CPU time of the whole agent, all threads, microseconds; shared among the inputs of an agent by their events.
    pub cpu_us: Option<u64>,
    /// Cores that the agent may use: the least of quota, cores of the machine, and threads that run chains.
    pub limit_cores: Option<f64>,
    /// Time that the quota held the agent back, microseconds.
    pub throttled_us: Option<u64>,
    /// Time that threads of the agent were ready to run but did not, microseconds.
    pub run_queue_us: Option<u64>,
    /// Time that dispatch waited for the in-flight budget, microseconds.
    pub held_us: Option<u64>,
    /// Time that events were queued for the link, microseconds.
    pub queued_us: Option<u64>,
    /// Bytes on the wire that were acknowledged in that time.
    pub queued_acked_wire_bytes: Option<u64>,
    /// Round trip to the broker, microseconds.
    pub rtt_us: Option<u64>,
    /// What waits in the spool.
    pub backlog: Option<Backlog>,
    /// Frames that the residual job has not committed.
    pub residual_lag_frames: Option<u64>,
}

impl Counters {
    /// What happened after `earlier`; `None` if nothing later is in here: the same report, an older one, or one that contradicts it.
    ///
    /// Of another boot everything since that boot is new.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Option<Observation> {
        let nothing =
            Self { cuts: vec![CutCounters::default(); self.cuts.len()], ..Self::default() };
        let same = self.boot == earlier.boot;
        if same && self.cuts.len() != earlier.cuts.len() {
            return None;
        }
        self.after(if same { earlier } else { &nothing })
    }

    fn after(&self, from: &Self) -> Option<Observation> {
        let us = self.up_us.checked_sub(from.up_us).filter(|us| *us > 0)?;
        let seconds = micros(us);
        let counted = |now: u64, then: u64| now.checked_sub(then).map(as_f64);
        // A counter that one of the two lacks has no difference; one that fell makes the report contradict the earlier one.
        let maybe = |now: Option<u64>, then: Option<u64>| match (now, then) {
            (Some(now), Some(then)) => now.checked_sub(then).map(Some),
            (Some(now), None) if from.up_us == 0 => Some(Some(now)),
            _ => Some(None),
        };
        let cuts: Option<Vec<_>> =
            self.cuts.iter().zip(&from.cuts).map(|(now, then)| cut_after(now, then)).collect();
        let held = maybe(self.held_us, from.held_us)?.map(micros);
        let queued = maybe(self.queued_us, from.queued_us)?.map(micros);
        let queued_bytes =
            maybe(self.queued_acked_wire_bytes, from.queued_acked_wire_bytes)?.map(as_f64);
        let used = maybe(self.cpu_us, from.cpu_us)?.map(micros);
        let throttled = maybe(self.throttled_us, from.throttled_us)?.map(micros);
        let waited = maybe(self.run_queue_us, from.run_queue_us)?.map(micros);
        Some(Observation {
            at_ms: self.at_ms,
            seconds,
            arrived_events: counted(self.arrived_events, from.arrived_events)?,
            acked_events: counted(self.acked_events, from.acked_events)?,
            dead_events: counted(self.dead_events, from.dead_events)?,
            target_per_second: self.target_per_second,
            cuts: cuts?,
            cpu: CpuInterval {
                used_seconds: used,
                limit_cores: self.limit_cores,
                throttled_seconds: throttled,
                run_queue_seconds: waited,
            },
            link: LinkInterval {
                held_seconds: held,
                queued_seconds: queued,
                queued_acked_wire_bytes: queued_bytes,
                rtt_seconds: self.rtt_us.map(micros),
            },
            backlog: self.backlog,
            residual_lag_frames: self.residual_lag_frames,
        })
    }
}

fn cut_after(now: &CutCounters, then: &CutCounters) -> Option<CutInterval> {
    let counted = |now: u64, then: u64| now.checked_sub(then).map(as_f64);
    Some(CutInterval {
        sample_events: counted(now.sample_events, then.sample_events)?,
        sample_cpu_seconds: counted(now.sample_cpu_us, then.sample_cpu_us)? / 1e6,
        sample_out_events: counted(now.sample_out_events, then.sample_out_events)?,
        sample_wire_bytes: counted(now.sample_wire_bytes, then.sample_wire_bytes)?,
        left_events: counted(now.left_events, then.left_events)?,
        left_wire_bytes: counted(now.left_wire_bytes, then.left_wire_bytes)?,
    })
}

#[expect(clippy::cast_precision_loss, reason = "counters stay far below 2^53")]
fn as_f64(count: u64) -> f64 {
    count as f64
}

fn micros(us: u64) -> f64 {
    as_f64(us) / 1e6
}

/// Remembers the last report of a device and input, and gives the difference of each later one.
#[derive(Debug, Clone, Default)]
pub struct Differ {
    last: Option<Counters>,
    ended_boots: VecDeque<String>,
}

impl Differ {
    /// Takes the next report. The first of all only begins; repeated, reordered and contradicting reports give nothing.
    pub fn take(&mut self, counters: Counters) -> Option<Observation> {
        if self.ended_boots.contains(&counters.boot) {
            return None;
        }
        let Some(last) = &self.last else {
            self.last = Some(counters);
            return None;
        };
        if last.boot == counters.boot && counters.up_us <= last.up_us {
            return None;
        }
        let observation = counters.since(last);
        if last.boot != counters.boot {
            self.ended_boots.push_back(last.boot.clone());
            if self.ended_boots.len() > REMEMBERED_BOOTS {
                self.ended_boots.pop_front();
            }
        }
        // One that contradicts the last begins anew: whichever of the two was wrong, the next difference is right.
        self.last = Some(counters);
        observation
    }
}
