//! Laws of the optimum and of the policies, on random chains.

use proptest::prelude::*;
use sluice_model::{Cut, Share, Shares};
use sluice_policy::{
    Chain, CutEstimate, Estimates, Goodput, Hull, HullSettings, LinkBudget, Plan, Point, Policy,
    Prices, Problem, Recent, Reference, Worst,
};

const DAY_MS: i64 = 86_400_000;

/// Chains whose CPU grows with every cut; bytes may grow too, since operators may expand.
fn chains() -> impl Strategy<Value = Chain> {
    let operator = (1e-7..2e-4f64, 0.05..1.3f64);
    (
        1e-7..1e-5f64,
        20.0..2_000f64,
        prop::collection::vec(operator, 0..5),
        0.01..2.0f64,
        1e4..3e7f64,
    )
        .prop_map(|(cpu, bytes, operators, cpu_cores, bytes_per_second)| {
            let mut at = Point { cut: Cut(0), cpu_seconds: cpu, wire_bytes: bytes };
            let mut points = vec![at];
            for (cpu, factor) in operators {
                at.cut.0 += 1;
                at.cpu_seconds += cpu;
                at.wire_bytes *= factor;
                points.push(at);
            }
            Chain { points, cpu_cores, bytes_per_second }
        })
}

fn estimates_of(chain: &Chain, target_per_second: f64) -> Estimates {
    let cut = |point: &Point| CutEstimate {
        cpu_seconds: Some(point.cpu_seconds),
        wire_bytes: Some(point.wire_bytes),
        out_events: Some(1.0),
        measured_at_ms: Some(DAY_MS),
    };
    Estimates {
        target_per_second,
        cuts: chain.points.iter().map(cut).collect(),
        cpu_cores: Some(chain.cpu_cores),
        goodput: Some(Goodput {
            bytes_per_second: chain.bytes_per_second,
            limited: true,
            limited_at_ms: DAY_MS - 200_000,
        }),
        recent: Recent {
            begin_ms: DAY_MS - 10_000,
            end_ms: DAY_MS,
            arrived_per_second: target_per_second,
            acked_per_second: target_per_second,
            ..Recent::default()
        },
        ..Estimates::default()
    }
}

/// A problem with some costs unknown, any state of the link, and a plan in force.
fn problems() -> impl Strategy<Value = (Problem, Plan)> {
    let recent = (any::<bool>(), prop::option::of(0.0..1.0f64), 0.0..1.2f64, 1e3..1e7f64);
    let plan = (prop::collection::vec(0..1_000i32, 5), 0..200_000i64, prop::option::of(0..5i32));
    let worst = (prop::option::of(0.05..1.0f64), prop::option::of(0.05..1.0f64));
    let link = (any::<bool>(), worst);
    (chains(), 10.0..1e6f64, recent, link, prop::option::of(0..5usize), plan).prop_map(
        |(chain, target, (missed, held_share, acked, wire), (limited, worst), unknown, plan)| {
            let mut estimates = estimates_of(&chain, target);
            if let Some(cut) = unknown.and_then(|k| estimates.cuts.get_mut(k)) {
                *cut = CutEstimate { wire_bytes: cut.wire_bytes, ..CutEstimate::default() };
            }
            if let Some(goodput) = &mut estimates.goodput {
                goodput.limited = limited;
            }
            let recent = &mut estimates.recent;
            recent.missed = missed;
            recent.held_share = held_share;
            recent.acked_per_second = target * acked;
            recent.wire_bytes_per_second = wire;
            estimates.worst = Worst {
                cpu_cores: worst.0.map(|part| part * chain.cpu_cores),
                bytes_per_second: worst.1.map(|part| part * chain.bytes_per_second),
            };
            let cuts = estimates.cuts.len();
            let (weights, age_ms, probe) = plan;
            let probe = probe.map(Cut).filter(|cut| (cut.0 as usize) < cuts);
            let plan = Plan::new(shares(&weights[..cuts]), DAY_MS - age_ms).with_probe(probe);
            (Problem { now_ms: DAY_MS + 500, estimates }, plan)
        },
    )
}

/// Shares in proportion to weights.
fn shares(weights: &[i32]) -> Shares {
    let sum: i32 = weights.iter().sum();
    let mut parts: Vec<i32> = weights.iter().map(|w| w * 1_000 / sum.max(1)).collect();
    parts[0] += 1_000 - parts.iter().sum::<i32>();
    let share = |(cut, per_mille)| Share { cut: Cut(cut), per_mille };
    Shares::new((0..).zip(parts).map(share).collect()).unwrap()
}

/// The greatest rate, by trying every basic solution of the linear program.
fn most_by_enumeration(chain: &Chain) -> f64 {
    let (p, b) = (chain.cpu_cores, chain.bytes_per_second);
    let alone = |a: &Point| (p / a.cpu_seconds).min(b / a.wire_bytes);
    let mut most = chain.points.iter().map(alone).fold(0.0, f64::max);
    for x in &chain.points {
        for y in &chain.points {
            let determinant = x.cpu_seconds * y.wire_bytes - y.cpu_seconds * x.wire_bytes;
            let first = (p * y.wire_bytes - y.cpu_seconds * b) / determinant;
            let second = (x.cpu_seconds * b - p * x.wire_bytes) / determinant;
            if determinant != 0.0 && first >= 0.0 && second >= 0.0 {
                most = most.max(first + second);
            }
        }
    }
    most
}

/// The least cost at a rate, by trying every basic solution: any three of the cuts and the two slacks.
fn least_by_enumeration(chain: &Chain, rate: f64, prices: (f64, f64)) -> Option<f64> {
    let (p, b) = (chain.cpu_cores, chain.bytes_per_second);
    // Rows: events, CPU, bytes, each in parts of its limit.
    let column = |a: &Point| [1.0, rate * a.cpu_seconds / p, rate * a.wire_bytes / b];
    let price = |a: &Point| prices.0 * a.cpu_seconds + prices.1 * a.wire_bytes;
    let mut columns: Vec<([f64; 3], f64)> =
        chain.points.iter().map(|a| (column(a), price(a))).collect();
    columns.extend([([0.0, 1.0, 0.0], 0.0), ([0.0, 0.0, 1.0], 0.0)]);
    let mut least: Option<f64> = None;
    for i in 0..columns.len() {
        for j in i + 1..columns.len() {
            for k in j + 1..columns.len() {
                let basis = [columns[i], columns[j], columns[k]];
                let Some(parts) = solve3(basis.map(|c| c.0)) else { continue };
                if parts.iter().all(|part| *part >= -1e-9) {
                    let cost = (0..3).map(|n| parts[n] * basis[n].1).sum();
                    least = Some(least.map_or(cost, |least| least.min(cost)));
                }
            }
        }
    }
    least
}

/// Parts of three columns that sum to (1, 1, 1), by Cramer's rule.
fn solve3(columns: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[2][1] * m[1][2])
            - m[1][0] * (m[0][1] * m[2][2] - m[2][1] * m[0][2])
            + m[2][0] * (m[0][1] * m[1][2] - m[1][1] * m[0][2])
    };
    let whole = determinant(columns);
    let with = |n: usize| {
        let mut replaced = columns;
        replaced[n] = [1.0; 3];
        determinant(replaced) / whole
    };
    (whole.abs() > 1e-12).then(|| [with(0), with(1), with(2)])
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

proptest! {
    #[test]
    fn the_most_sustained_mix_is_the_optimum_of_the_linear_program(chain in chains()) {
        let (cpu, bytes) = chain.most_sustained().unwrap().cost();
        prop_assert!(close(chain.sustained(cpu, bytes).0, most_by_enumeration(&chain)));
    }

    #[test]
    fn the_least_cost_is_the_optimum_of_the_linear_program(
        chain in chains(), part in 0.05..1.5f64, cpu_price in 0.0..1e3f64, byte_price in 0.0..1e-3f64,
    ) {
        let most = most_by_enumeration(&chain);
        // At the very limit rounding decides whether there is a solution.
        prop_assume!(!close(part, 1.0));
        let rate = part * most;
        let mix = chain.least_cost(rate, cpu_price, byte_price);
        let expected = least_by_enumeration(&chain, rate, (cpu_price, byte_price));
        prop_assert_eq!(mix.is_some(), part < 1.0);
        if let Some(mix) = mix {
            let (cpu, bytes) = mix.cost();
            prop_assert!(chain.sustained(cpu, bytes).0 >= rate * (1.0 - 1e-6));
            let cost = cpu_price * cpu + byte_price * bytes;
            let expected = expected.unwrap();
            prop_assert!((cost - expected).abs() <= 1e-6 * expected.abs() + 1e-15, "{} {}", cost, expected);
        }
    }

    #[test]
    fn no_mix_that_fits_sustains_more_under_other_limits(
        chain in chains(),
        other in (0.05..1.0f64, 0.05..1.0f64),
        part in 0.05..1.0f64,
        mix in (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0.0..1.0f64),
    ) {
        let rate = part * most_by_enumeration(&chain);
        let worse = Chain {
            points: chain.points.clone(),
            cpu_cores: other.0 * chain.cpu_cores,
            bytes_per_second: other.1 * chain.bytes_per_second,
        };
        let best = chain.most_under(&worse, rate).unwrap().cost();
        prop_assert!(chain.sustained(best.0, best.1).0 >= rate * (1.0 - 1e-6));
        let (a, b, share) = (mix.0.get(&chain.points), mix.1.get(&chain.points), mix.2);
        let cpu = a.cpu_seconds + share * (b.cpu_seconds - a.cpu_seconds);
        let bytes = a.wire_bytes + share * (b.wire_bytes - a.wire_bytes);
        if chain.sustained(cpu, bytes).0 >= rate {
            let (any, found) = (worse.sustained(cpu, bytes).0, worse.sustained(best.0, best.1).0);
            prop_assert!(any <= found * (1.0 + 1e-6), "{any} {found}");
        }
    }

    #[test]
    fn mixing_gains_at_most_twice_the_best_cut(chain in chains()) {
        let (cpu, bytes) = chain.most_sustained().unwrap().cost();
        let mixed = chain.sustained(cpu, bytes).0;
        let alone = |a: &Point| chain.sustained(a.cpu_seconds, a.wire_bytes).0;
        let best = chain.points.iter().map(alone).fold(0.0, f64::max);
        prop_assert!(best * (1.0 - 1e-9) <= mixed && mixed <= 2.0 * best * (1.0 + 1e-9));
    }

    #[test]
    fn the_border_is_convex_and_below_every_point(chain in chains()) {
        let border = chain.border();
        for pair in border.windows(2) {
            prop_assert!(pair[0].cpu_seconds < pair[1].cpu_seconds && pair[0].wire_bytes > pair[1].wire_bytes);
        }
        for pair in border.windows(2) {
            let slope = (pair[1].wire_bytes - pair[0].wire_bytes) / (pair[1].cpu_seconds - pair[0].cpu_seconds);
            for point in &chain.points {
                let line = pair[0].wire_bytes + slope * (point.cpu_seconds - pair[0].cpu_seconds);
                prop_assert!(point.wire_bytes >= line - 1e-6 * pair[0].wire_bytes);
            }
        }
    }

    #[test]
    fn a_plan_is_at_most_two_cuts_and_a_probe((problem, previous) in problems()) {
        let decision = Hull::default().solve(&problem, &previous);
        if decision.plan.base() != previous.base() {
            prop_assert!(decision.plan.base().as_slice().len() <= 2);
        }
        let shares = decision.plan.shares();
        prop_assert_eq!(shares.as_slice().iter().map(|share| share.per_mille).sum::<i32>(), 1_000);
        let probe = usize::from(decision.plan.probe().is_some());
        prop_assert_eq!(shares.as_slice().len(), decision.plan.base().as_slice().len() + probe);
        let operators = i32::try_from(problem.estimates.operators()).unwrap();
        prop_assert!(shares.check(operators).is_ok());
        prop_assert!(!decision.reasons.is_empty());
    }

    #[test]
    fn solving_again_changes_nothing((problem, previous) in problems()) {
        let policies: [&dyn Policy; 2] = [&Hull::default(), &Reference::default()];
        for policy in policies {
            let once = policy.solve(&problem, &previous).plan;
            prop_assert_eq!(&policy.solve(&problem, &once).plan, &once);
        }
    }

    /// Stronger: once the conditions stay, the plan settles within one switch, however often it is asked.
    #[test]
    fn hull_settles_at_once((mut problem, previous) in problems()) {
        let mut plan = previous;
        let mut switches = 0;
        for _ in 0..5 {
            problem.now_ms += 120_000;
            problem.estimates.recent.end_ms = problem.now_ms;
            let next = Hull::default().solve(&problem, &plan).plan;
            switches += usize::from(next.base() != plan.base());
            plan = next;
        }
        prop_assert!(switches <= 1, "{switches} switches");
    }

    #[test]
    fn more_bandwidth_never_lowers_the_sustained_rate(
        (mut problem, previous) in problems(), more in 1.0..20.0f64,
    ) {
        problem.estimates.goodput.as_mut().unwrap().limited = true;
        let target = problem.estimates.target_per_second;
        let rate = |problem: &Problem| {
            let plan = Plan::new(previous.base().clone(), 0);
            let sustained = Hull::default().solve(problem, &plan).sustained_per_second;
            sustained.map(|rate| rate.min(target))
        };
        let before = rate(&problem);
        problem.estimates.goodput.as_mut().unwrap().bytes_per_second *= more;
        let after = rate(&problem);
        if let (Some(before), Some(after)) = (before, after) {
            // Within the dead band and rounding a plan that is no better is kept.
            prop_assert!(after >= before / 1.04, "{before} {after}");
        }
    }

    #[test]
    fn a_budget_is_never_exceeded_where_a_cut_keeps_it(chain in chains(), target in 10.0..1e5f64, mb in 1.0..1e5f64) {
        let settings = HullSettings {
            budget: Some(LinkBudget { megabytes_per_day: mb }),
            prices: Prices { per_gigabyte: Some(0.1), per_core_hour: 0.0 },
            ..HullSettings::default()
        };
        let problem = Problem { now_ms: DAY_MS, estimates: estimates_of(&chain, target) };
        let plan = Plan::new(Shares::binary(Cut(0)), 0);
        let decision = Hull::new(settings).solve(&problem, &plan);
        let allowed = mb * 1e6 / 86_400.0;
        let budgeted = Chain { bytes_per_second: chain.bytes_per_second.min(allowed), ..chain.clone() };
        if budgeted.least_cost(1.2 * target, 0.0, 0.0).is_some() {
            let bytes = chain.cost(&decision.plan.shares()).unwrap().1 * target;
            // Within the dead band a plan is kept.
            prop_assert!(bytes <= allowed * 1.035, "{bytes} {allowed}");
        }
    }
}

/// The worked example: two operators of 6 and 5 us, 200, 200 and 80 bytes, selectivity 0.6, a fifth of a core.
fn worked(megabits: f64) -> Chain {
    let point =
        |cut, us: f64, wire_bytes| Point { cut: Cut(cut), cpu_seconds: us * 1e-6, wire_bytes };
    Chain {
        points: vec![point(0, 0.0, 200.0), point(1, 6.0, 120.0), point(2, 9.0, 48.0)],
        cpu_cores: 0.2,
        bytes_per_second: megabits * 1e6 / 8.0,
    }
}

#[test]
fn the_worked_example_gains_a_fifth() {
    for (megabits, gain) in [(8.0, 1.00), (16.0, 1.21), (24.0, 1.28), (32.0, 1.11), (48.0, 1.41)] {
        let chain = worked(megabits);
        let (cpu, bytes) = chain.most_sustained().unwrap().cost();
        let best = chain.points.iter().map(|a| chain.sustained(a.cpu_seconds, a.wire_bytes).0);
        let found = chain.sustained(cpu, bytes).0 / best.fold(0.0, f64::max);
        assert!((found - gain).abs() < 0.006, "{megabits} Mbit/s: {found:.3}");
    }
    let problem = Problem { now_ms: DAY_MS, estimates: estimates_of(&worked(16.0), 26_000.0) };
    let all_edge = Plan::new(Shares::binary(Cut(2)), 0);
    let decision = Hull::default().solve(&problem, &all_edge);
    assert_eq!(decision.plan.shares().to_string(), "0:173,2:827");
    assert!(decision.sustained_per_second.unwrap() > 26_800.0);
}
