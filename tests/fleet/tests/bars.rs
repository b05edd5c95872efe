//! What the policies must reach in the simulator. `SLUICE_LONG=1` adds the fleet of ten thousand.

use clap::ValueEnum;
use sluice_fleet::cpu_clock::CpuClock;
use sluice_fleet::score::table;
use sluice_fleet::{Options, PolicyName, Score, Trace, run};

fn score(trace: Trace, policy: PolicyName, devices: usize, seed: u64) -> Score {
    run(&Options { seed, ..Options::new(trace, policy, devices) }).score
}

#[test]
fn hull_keeps_near_the_clairvoyant_and_switches_seldom_on_every_trace() {
    let mut scores = Vec::new();
    for trace in Trace::value_variants() {
        scores.push(score(*trace, PolicyName::Hull, 100, 1));
        scores.extend((2..4).map(|seed| score(*trace, PolicyName::Hull, 20, seed)));
    }
    print!("{}", table(&scores));
    for score in &scores {
        assert!(score.of_clairvoyant() >= 0.95, "{score}");
        assert!(score.extra_switches() <= 6.0, "{score}");
    }
}

#[test]
fn hull_is_degraded_a_third_as_long_as_reference_on_figure_8() {
    for seed in 1..4 {
        let hull = score(Trace::Figure8, PolicyName::Hull, 100, seed);
        let reference = score(Trace::Figure8, PolicyName::Reference, 100, seed);
        print!("{}", table(&[hull.clone(), reference.clone()]));
        assert!(3 * hull.degraded_seconds <= reference.degraded_seconds);
    }
}

#[test]
fn where_both_ends_bind_the_mix_carries_a_sixth_more_than_any_cut() {
    let hull = score(Trace::Worked, PolicyName::Hull, 10, 1);
    let reference = score(Trace::Worked, PolicyName::Reference, 10, 1);
    print!("{}", table(&[hull.clone(), reference.clone()]));
    let a_second = hull.delivered / (hull.hours * 3_600.0 * hull.devices as f64);
    assert!(a_second >= 1.15 * 22_222.0, "{a_second:.0}/s");
    // The heuristic goes in circles: more than a switch a minute.
    assert!(reference.switches as f64 > 60.0 * reference.hours * reference.devices as f64);
    assert!(hull.delivered > 1.15 * reference.delivered);
}

#[test]
fn a_dead_device_takes_nobody_with_it() {
    let options = Options { keep: true, ..Options::new(Trace::Figure12, PolicyName::Hull, 5) };
    let outcome = run(&options);
    let sums = |device: usize, from: usize| {
        let moments = &outcome.moments[device][from..];
        let sum = |value: fn(&sluice_fleet::run::Moment) -> f64| moments.iter().map(value).sum();
        let (arrived, acked): (f64, f64) = (sum(|m| m.arrived), sum(|m| m.acked));
        (arrived, acked)
    };
    assert_eq!(sums(0, 910).1, 0.0);
    for device in 1..5 {
        let (arrived, acked) = sums(device, 910);
        assert!(arrived > 0.0 && acked >= 0.999 * arrived, "device {device}");
    }
    assert!(outcome.switches[0].iter().all(|switch| !switch.starts_with("91")));
}

#[test]
fn a_seed_is_a_run() {
    let once = score(Trace::Steps, PolicyName::Hull, 10, 7);
    let again = score(Trace::Steps, PolicyName::Hull, 10, 7);
    let timeless = |score: Score| Score { decision_seconds: 0.0, ..score };
    assert_eq!(timeless(once), timeless(again));
}

#[test]
fn ten_thousand_devices_live_two_hours_in_ten_minutes_of_a_core() {
    if std::env::var_os("SLUICE_LONG").is_none() {
        return;
    }
    let clock = CpuClock::start();
    let score = score(Trace::Steps, PolicyName::Hull, 10_000, 1);
    let seconds = clock.seconds();
    print!("{}", table(std::slice::from_ref(&score)));
    println!(
        "10,000 devices, 2 h: {seconds:.0} s of CPU; a round of decisions {:.3} s",
        score.round_seconds()
    );
    assert!(score.of_clairvoyant() >= 0.95 && score.extra_switches() <= 6.0);
    assert!(seconds <= 600.0, "{seconds:.0} s");
}
