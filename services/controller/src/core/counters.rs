//! From an edge's record to the counters that the policy's estimators take.

use sluice_model::{EdgeCounters, Telemetry};
use sluice_policy::{Backlog, Counters, CutCounters};

/// The counters of an edge's record; none in a replica's.
///
/// An input has one thread that runs its chains: more than one processor does not make it faster.
pub fn of(
    telemetry: &Telemetry,
    target_per_second: Option<f64>,
    residual_lag: Option<i64>,
    now_ms: i64,
) -> Option<Counters> {
    let edge: &EdgeCounters = telemetry.edge.as_ref()?;
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    let cut = |cut: &sluice_model::CutCounters| CutCounters {
        sample_events: count(cut.sample_events),
        sample_cpu_us: count(cut.sample_busy_us),
        sample_out_events: count(cut.sample_out_events),
        sample_wire_bytes: count(cut.sample_packed_bytes),
        left_events: count(cut.left_events),
        left_wire_bytes: count(cut.left_packed_bytes),
    };
    let cpu = &edge.cpu;
    let has = if cpu.cores > 0.0 { cpu.cores } else { 1.0 };
    let limit_cores = cpu.limit_cores.unwrap_or(f64::INFINITY).min(has).min(1.0);
    Some(Counters {
        boot: telemetry.boot.clone(),
        up_us: count(telemetry.uptime_us),
        at_ms: now_ms,
        arrived_events: count(edge.accepted_events),
        acked_events: count(edge.acked_events),
        dead_events: count(edge.dead_events),
        target_per_second,
        cuts: edge.cuts.iter().map(cut).collect(),
        cpu_us: Some(count(cpu.used_us)),
        limit_cores: Some(limit_cores),
        throttled_us: cpu.limit_cores.map(|_| count(cpu.throttled_us)),
        run_queue_us: Some(count(cpu.run_queue_us)),
        held_us: Some(count(edge.held_us)),
        queued_us: Some(count(edge.held_us)),
        queued_acked_wire_bytes: Some(count(edge.held_acked_packed_bytes)),
        rtt_us: edge.rtt_us.map(count),
        backlog: Some(Backlog {
            events: count(edge.backlog_events),
            bytes: count(edge.spool_bytes),
            oldest_ms: count(edge.oldest_age_ms.unwrap_or(0)),
        }),
        residual_lag_frames: residual_lag.map(count),
    })
}
