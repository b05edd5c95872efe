//! What the policies do, case by case.

use sluice_model::{Cut, Shares};
use sluice_policy::{
    CutEstimate, Decision, Estimates, Goodput, Hull, HullSettings, LinkBudget, Plan, Policy,
    Prices, Problem, Reason, Recent, Reference,
};

const NOW_MS: i64 = 1_000_000;

/// Three cuts of 0, 6 and 9 us, 200, 120 and 48 bytes; 4000 events/s; 0.2 of a core; 2 MB/s.
fn estimates() -> Estimates {
    let cut = |cpu_us: f64, wire_bytes| CutEstimate {
        cpu_seconds: Some(cpu_us * 1e-6),
        wire_bytes: Some(wire_bytes),
        out_events: Some(1.0),
        measured_at_ms: Some(NOW_MS),
    };
    Estimates {
        target_per_second: 4_000.0,
        cuts: vec![cut(0.0, 200.0), cut(6.0, 120.0), cut(9.0, 48.0)],
        cpu_cores: Some(0.2),
        goodput: Some(Goodput { bytes_per_second: 2e6, limited: true, limited_at_ms: NOW_MS }),
        recent: Recent {
            begin_ms: NOW_MS - 10_000,
            end_ms: NOW_MS,
            arrived_per_second: 4_000.0,
            acked_per_second: 4_000.0,
            held_share: Some(0.0),
            wire_bytes_per_second: 800_000.0,
            ..Recent::default()
        },
        ..Estimates::default()
    }
}

fn at(cut: i32) -> Plan {
    Plan::new(Shares::binary(Cut(cut)), 0)
}

fn solve(
    policy: &dyn Policy,
    estimates: &Estimates,
    previous: &Plan,
) -> (String, Vec<&'static str>) {
    let problem = Problem { now_ms: NOW_MS, estimates: estimates.clone() };
    let Decision { plan, reasons, .. } = policy.solve(&problem, previous);
    (plan.shares().to_string(), reasons.iter().map(Reason::code).collect())
}

fn short(held_share: f64, wire_bytes_per_second: f64) -> Estimates {
    let mut short = estimates();
    short.recent.missed = true;
    short.recent.held_share = Some(held_share);
    short.recent.wire_bytes_per_second = wire_bytes_per_second;
    short
}

#[test]
fn reference_does_nothing_while_the_target_is_met() {
    assert_eq!(solve(&Reference::default(), &estimates(), &at(2)).1, ["target_met"]);
}

#[test]
fn reference_case_1_takes_the_fitting_cut_with_the_fewest_operators_at_the_edge() {
    let network = |bytes| solve(&Reference::default(), &short(0.9, bytes), &at(0));
    assert_eq!(network(500_000.0), ("cut 1".to_owned(), vec!["network_case"]));
    assert_eq!(network(300_000.0), ("cut 2".to_owned(), vec!["network_case"]));
    assert_eq!(network(100_000.0), ("cut 2".to_owned(), vec!["network_case", "none_feasible"]));
    // Also from the edge back: fewer operators are enough.
    let back = solve(&Reference::default(), &short(0.9, 900_000.0), &at(2));
    assert_eq!(back.0, "cut 0");
}

#[test]
fn reference_case_2_moves_everything_to_the_cloud_whatever_the_link() {
    let cpu = solve(&Reference::default(), &short(0.1, 100_000.0), &at(2));
    assert_eq!(cpu, ("cut 0".to_owned(), vec!["compute_case"]));
    // With everything in the cloud only case 1 applies.
    assert_eq!(solve(&Reference::default(), &short(0.1, 500_000.0), &at(0)).0, "cut 1");
}

/// Where a cut in the middle lacks CPU and its neighbour lacks bandwidth, no cut meets the target; the heuristic goes in circles.
#[test]
fn reference_circles_where_only_a_mix_would_do() {
    let mut plan = at(0);
    let mut seen = Vec::new();
    for round in 1..=4 {
        let mut estimates = if plan.base() == &Shares::binary(Cut(0)) {
            short(0.9, 500_000.0)
        } else {
            short(0.1, 480_000.0)
        };
        let now_ms = NOW_MS + round * 10_000;
        estimates.recent.end_ms = now_ms;
        plan = Reference::default().solve(&Problem { now_ms, estimates }, &plan).plan;
        seen.push(plan.shares().to_string());
    }
    assert_eq!(seen, ["cut 1", "cut 0", "cut 1", "cut 0"]);
}

#[test]
fn hull_leaves_a_plan_that_falls_short_at_once() {
    let mut estimates = estimates();
    estimates.goodput.as_mut().unwrap().bytes_per_second = 4e5;
    let young = Plan::new(Shares::binary(Cut(0)), NOW_MS - 5_000);
    assert_eq!(
        solve(&Hull::default(), &estimates, &young),
        ("cut 2".to_owned(), vec!["short", "least_cost"])
    );
    estimates.target_per_second = 40_000.0;
    let (shares, reasons) = solve(&Hull::default(), &estimates, &young);
    assert_eq!((&*shares, &*reasons), ("cut 2", &["short", "most_sustained"][..]));
}

#[test]
fn hull_moves_for_cost_only_after_the_dwell_and_beyond_the_least_saving() {
    let estimates = estimates();
    // Shares of CPU and link: 0.40, 0.36 and 0.28 of the target's second.
    let young = Plan::new(Shares::binary(Cut(0)), NOW_MS - 5_000);
    assert_eq!(solve(&Hull::default(), &estimates, &young).1, ["target_met", "dwell"]);
    assert_eq!(solve(&Hull::default(), &estimates, &at(0)).1, ["target_met", "least_cost"]);
    let coarse = Hull::new(HullSettings { least_saving: 0.4, ..HullSettings::default() });
    assert_eq!(solve(&coarse, &estimates, &at(0)).1, ["target_met", "dead_band"]);
}

#[test]
fn hull_steps_up_beyond_what_the_link_was_seen_to_carry() {
    let mut estimates = estimates();
    // All at the edge, but the CPU is nearly gone; the link was last full at 0.3 MB/s and now carries that easily.
    estimates.cpu_cores = Some(0.01);
    estimates.goodput = Some(Goodput { bytes_per_second: 3e5, limited: false, limited_at_ms: 0 });
    estimates.recent.wire_bytes_per_second = 3e5;
    let problem = Problem { now_ms: NOW_MS, estimates: estimates.clone() };
    let plan = Hull::default().solve(&problem, &at(2)).plan;
    let (_, bytes) = estimates.chain().cost(plan.base()).unwrap();
    let decision = Hull::default().solve(&problem, &at(2));
    assert!(decision.reasons.contains(&Reason::StepUp { bytes_per_second: 375_000.0 }));
    assert!(decision.sustained_per_second.unwrap() * bytes <= 375_000.0);
}

#[test]
fn hull_holds_what_it_does_not_know() {
    let mut dark = estimates();
    dark.cpu_cores = None;
    assert_eq!(solve(&Hull::default(), &dark, &at(0)), ("cut 0".to_owned(), vec!["unknown"]));
    let mut down = short(1.0, 0.0);
    down.recent.acked_per_second = 0.0;
    assert_eq!(solve(&Hull::default(), &down, &at(1)).1, ["link_down"]);
    let newer = Plan::new(Shares::binary(Cut(0)), NOW_MS);
    assert_eq!(solve(&Hull::default(), &estimates(), &newer).1, ["not_observed"]);
}

#[test]
fn hull_probes_the_deepest_unknown_cut_with_a_small_share() {
    let mut estimates = estimates();
    estimates.cuts[2] = CutEstimate { wire_bytes: Some(48.0), ..CutEstimate::default() };
    let (shares, reasons) = solve(&Hull::default(), &estimates, &at(1));
    assert_eq!(shares, "1:980,2:20");
    assert_eq!(reasons, ["target_met", "probe"]);
    // Measured: the probe ends.
    let probing = at(1).with_probe(Some(Cut(2)));
    let again = solve(&Hull::default(), &estimates, &probing).0;
    assert_eq!(again, "1:980,2:20");
    estimates.cuts[2] = CutEstimate {
        cpu_seconds: Some(1.0),
        wire_bytes: Some(48.0),
        out_events: None,
        measured_at_ms: Some(NOW_MS),
    };
    assert_eq!(solve(&Hull::default(), &estimates, &probing).0, "cut 1");
}

#[test]
fn a_price_or_a_budget_of_bytes_moves_work_to_the_edge() {
    let estimates = estimates();
    let cheap_cpu = Prices { per_gigabyte: Some(0.08), per_core_hour: 0.0 };
    let dear_cpu = Prices { per_gigabyte: Some(0.000_001), per_core_hour: 1.0 };
    let priced = |prices| Hull::new(HullSettings { prices, ..HullSettings::default() });
    assert_eq!(solve(&priced(cheap_cpu), &estimates, &at(0)).0, "cut 2");
    assert_eq!(solve(&priced(dear_cpu), &estimates, &at(2)).0, "cut 0");
    let budget = Some(LinkBudget { megabytes_per_day: 40_000.0 });
    let budgeted = Hull::new(HullSettings { budget, prices: dear_cpu, ..HullSettings::default() });
    let (shares, reasons) = solve(&budgeted, &estimates, &at(0));
    assert_eq!((&*shares, &*reasons), ("0:318,2:682", &["short", "budget", "least_cost"][..]));
}

#[test]
fn a_reason_speaks_and_has_a_code() {
    let reason = Reason::StepUp { bytes_per_second: 1.25e6 };
    assert_eq!(reason.to_string(), "the uplink is tried up to 1.25 MB/s");
    let json = serde_json::to_value(reason).unwrap();
    assert_eq!(json["code"], reason.code());
}
