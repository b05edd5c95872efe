//! Reports that are lost, repeated or reordered, and restarts, spoil no estimate for good.

use proptest::prelude::*;
use sluice_policy::{Counters, CutCounters, Differ, Estimator, EstimatorSettings, Observation};

/// A device of steady conditions: 1000 events/s, 5 us and 100 bytes at cut 0, 25 us and 40 bytes at cut 1 (half the events), a link of
/// 1 MB/s that is never the limit, 0.8 of a core, of which others take a fifth.
fn report(boot: u64, second: u64) -> Counters {
    let cut = |cpu: u64, bytes: u64, out: u64, left: u64| CutCounters {
        sample_events: 200 * second,
        sample_cpu_us: 200 * cpu * second,
        sample_out_events: 200 * out * second / 2,
        sample_wire_bytes: 200 * bytes * second,
        left_events: left * second,
        left_wire_bytes: left * bytes * second,
    };
    Counters {
        boot: format!("boot-{boot}"),
        up_us: second * 1_000_000,
        at_ms: i64::try_from(boot * 1_000_000 + second * 1_000).unwrap(),
        arrived_events: 1_000 * second,
        acked_events: 1_000 * second,
        cuts: vec![cut(5, 100, 2, 400), cut(25, 40, 1, 600)],
        // 17 ms of chain and 8 ms of all else a second.
        cpu_us: Some(25_000 * second),
        limit_cores: Some(0.8),
        run_queue_us: Some(6_250 * second),
        held_us: Some(100_000 * second),
        queued_us: Some(100_000 * second),
        queued_acked_wire_bytes: Some(100_000 * second),
        ..Counters::default()
    }
}

fn near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 0.02 * expected)
}

fn assert_true(estimator: &Estimator) {
    let estimates = estimator.estimates();
    assert!((estimates.target_per_second - 1_000.0).abs() < 10.0, "{estimates:?}");
    assert!(near(estimates.cuts[0].cpu_seconds, 5e-6), "{estimates:?}");
    assert!(near(estimates.cuts[1].cpu_seconds, 25e-6), "{estimates:?}");
    assert!(near(estimates.cuts[0].wire_bytes, 100.0), "{estimates:?}");
    assert!(near(estimates.cuts[1].wire_bytes, 40.0), "{estimates:?}");
    assert!(near(estimates.selectivity(1), 0.5) && near(estimates.true_rate(1), 50_000.0));
    assert!(near(Some(estimates.overhead_cpu_seconds), 8e-6), "{estimates:?}");
    assert!(near(estimates.cpu_cores, 0.64), "{estimates:?}");
    assert!(!estimates.recent.missed);
}

proptest! {
    #[test]
    fn any_order_of_reports_leaves_the_same_estimates(
        order in prop::collection::vec((0..3u64, 1..60u64), 0..80),
    ) {
        let mut differ = Differ::default();
        let mut estimator = Estimator::new(EstimatorSettings::default());
        // Boots in any order, reports lost, repeated and going back.
        for (boot, second) in order {
            if let Some(seen) = differ.take(report(boot, second)) {
                prop_assert!(seen.seconds > 0.0 && seen.arrived_events >= 0.0);
                estimator.observe(&seen);
            }
        }
        for second in 60..70 {
            if let Some(seen) = differ.take(report(9, second)) {
                estimator.observe(&seen);
            }
        }
        assert_true(&estimator);
    }

    #[test]
    fn what_is_lost_is_in_the_next_difference(kept in prop::collection::btree_set(1..500u64, 2..50)) {
        let mut differ = Differ::default();
        let seen: Vec<Observation> = kept.iter().filter_map(|s| differ.take(report(0, *s))).collect();
        let (first, last) = (kept.first().unwrap(), kept.last().unwrap());
        let sum: f64 = seen.iter().map(|seen| seen.arrived_events).sum();
        prop_assert_eq!(sum, 1_000.0 * (last - first) as f64);
        prop_assert_eq!(seen.len(), kept.len() - 1);
    }
}

#[test]
fn a_new_boot_counts_from_zero_and_an_ended_one_no_more() {
    let mut differ = Differ::default();
    assert!(differ.take(report(1, 10)).is_none());
    assert_eq!(differ.take(report(1, 12)).unwrap().arrived_events, 2_000.0);
    assert!(differ.take(report(1, 12)).is_none());
    assert!(differ.take(report(1, 11)).is_none());
    assert_eq!(differ.take(report(2, 3)).unwrap().arrived_events, 3_000.0);
    assert!(differ.take(report(1, 13)).is_none());
    assert_eq!(differ.take(report(2, 4)).unwrap().arrived_events, 1_000.0);
}

#[test]
fn a_report_that_contradicts_the_last_begins_anew() {
    let mut differ = Differ::default();
    differ.take(report(1, 10));
    let fallen = Counters { arrived_events: 0, ..report(1, 11) };
    assert!(differ.take(fallen).is_none());
    assert!(differ.take(report(1, 12)).is_some());
    assert_eq!(differ.take(report(1, 13)).unwrap().arrived_events, 1_000.0);
}

#[test]
fn a_counter_that_is_missing_has_no_difference() {
    let mut differ = Differ::default();
    differ.take(report(1, 10));
    let seen = differ.take(Counters { cpu_us: None, held_us: None, ..report(1, 11) }).unwrap();
    assert_eq!((seen.cpu.used_seconds, seen.link.held_seconds), (None, None));
    let seen = differ.take(report(1, 12)).unwrap();
    assert_eq!((seen.cpu.used_seconds, seen.link.held_seconds), (None, None));
    assert!(differ.take(report(1, 13)).unwrap().cpu.used_seconds.is_some());
}

/// A second of a link that was full, at this rate.
fn full(second: u64, bytes: f64) -> Observation {
    let mut differ = Differ::default();
    differ.take(report(0, second));
    let mut seen = differ.take(report(0, second + 1)).unwrap();
    seen.link.queued_seconds = Some(1.0);
    seen.link.held_seconds = Some(1.0);
    seen.link.queued_acked_wire_bytes = Some(bytes);
    seen
}

#[test]
fn a_full_link_is_believed_at_once_and_an_empty_one_only_raises() {
    let mut estimator = Estimator::new(EstimatorSettings::default());
    let mut goodput = |seen: &Observation| {
        estimator.observe(seen);
        estimator.estimates().goodput.map(|goodput| (goodput.bytes_per_second, goodput.limited))
    };
    let empty = |second| {
        let mut seen = full(second, 0.0);
        seen.link.queued_seconds = Some(0.0);
        seen.link.queued_acked_wire_bytes = Some(0.0);
        seen
    };
    assert_eq!(goodput(&empty(1)), None);
    assert_eq!(goodput(&full(2, 1e6)), Some((1e6, true)));
    assert_eq!(goodput(&full(3, 3e5)), Some((3e5, true)));
    assert_eq!(goodput(&full(4, 3.2e5)), Some((3.1e5, true)));
    // 64 kB/s go out without a queue: no reason to believe in less, nor in more.
    assert_eq!(goodput(&empty(5)), Some((3.1e5, false)));
    // Short waits are no measurement, but what the whole interval carried is a lower bound.
    let mut waits = full(6, 5e4);
    waits.link.queued_seconds = Some(0.1);
    assert_eq!(goodput(&waits), Some((3.1e5, false)));
    for cut in &mut waits.cuts {
        cut.left_wire_bytes *= 5.0;
    }
    assert_eq!(goodput(&waits), Some((3.2e5, false)));
}

/// While CPU and link are busy by turns, dispatch waits for a part of the time, and acknowledgements end the waits: the rate while waiting looks
/// greater than the link is.
#[test]
fn a_link_that_is_full_by_turns_is_what_it_carries() {
    let mut estimator = Estimator::new(EstimatorSettings::default());
    let goodput = |estimator: &Estimator| estimator.estimates().goodput.unwrap().bytes_per_second;
    estimator.observe(&full(1, 1e6));
    for second in 2..12 {
        let mut seen = full(second, 4e5);
        seen.link.queued_seconds = Some(0.6);
        seen.acked_events = 700.0;
        for cut in &mut seen.cuts {
            cut.left_wire_bytes = 2e5;
        }
        estimator.observe(&seen);
    }
    assert!((goodput(&estimator) - 4e5).abs() < 5e3, "{}", goodput(&estimator));
}

#[test]
fn cpu_taken_by_others_is_missing_at_once() {
    let mut estimator = Estimator::new(EstimatorSettings::default());
    let mut cores = |used: f64, run_queue: f64, throttled: f64| {
        let mut seen = full(1, 1e6);
        seen.cpu.used_seconds = Some(used);
        seen.cpu.limit_cores = Some(1.0);
        seen.cpu.run_queue_seconds = Some(run_queue);
        seen.cpu.throttled_seconds = Some(throttled);
        estimator.observe(&seen);
        estimator.estimates().cpu_cores.unwrap()
    };
    assert_eq!(cores(0.2, 0.0, 0.0), 1.0);
    assert_eq!(cores(0.2, 0.2, 0.0), 0.5);
    // Waiting because of one's own quota is no contention.
    assert_eq!(cores(0.2, 0.2, 0.2), 1.0);
    // Threads that wait for each other do not make the CPU less than what they used.
    assert_eq!(cores(0.8, 3.2, 0.0), 0.8);
}

#[test]
fn a_chain_that_falls_behind_with_an_empty_link_has_got_all_the_cpu_there_is() {
    let mut estimator = Estimator::new(EstimatorSettings::default());
    let mut seen = full(1, 1e6);
    seen.link.held_seconds = Some(0.0);
    seen.link.queued_seconds = Some(0.0);
    seen.acked_events = 700.0;
    seen.cpu.used_seconds = Some(0.5);
    seen.cpu.run_queue_seconds = None;
    // In the first such interval it may have been idle for a while.
    estimator.observe(&seen);
    assert_eq!(estimator.estimates().cpu_cores, Some(0.8));
    estimator.observe(&seen);
    assert_eq!(estimator.estimates().cpu_cores, Some(0.5));
    // Forgotten after a while.
    seen.acked_events = 1_000.0;
    seen.at_ms += 200_000;
    estimator.observe(&seen);
    assert!(estimator.estimates().cpu_cores.unwrap() > 0.6);
}
