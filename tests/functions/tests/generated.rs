//! Functions of the grammar, in the JVM and translated.

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use sluice_check::random::Random;
use sluice_functions::{Captured, Said, batch, grammar, tools};
use sluice_gate::Limits;
use sluice_planner::Translate;

/// Functions of a job.
const FUNCTIONS: usize = 40;
/// Pairs of function and event; ten thousands with `SLUICE_LONG`.
const PAIRS: usize = 2_000;
const LONG_PAIRS: usize = 100_000;
/// Events of a function.
const EVENTS: usize = 64;
const LONG_EVENTS: usize = 192;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn random_functions_do_what_they_do_in_java() {
    let long = env::var_os("SLUICE_LONG").is_some();
    let seed =
        number("SLUICE_SEED").unwrap_or(if long { u64::from(std::process::id()) } else { 7 });
    println!("seed {seed} (SLUICE_SEED={seed} repeats it)");
    let (wanted, events) = if long { (LONG_PAIRS, LONG_EVENTS) } else { (PAIRS, EVENTS) };
    let folder = tempfile::tempdir().unwrap();
    let tools = tools::tools(folder.path()).unwrap();
    let sidecar = tools.sidecar(&folder.path().join("host"));
    let limits = Limits { time: Duration::from_secs(20), sampled: 0, generated: events };
    let mut random = Random::new(seed);
    let (mut pairs, mut refused, mut uncertain, mut all, mut round) = (0, 0, 0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut unequal = Vec::new();
    while pairs < wanted && unequal.len() < 5 {
        round += 1;
        let functions: Vec<_> = (0..FUNCTIONS)
            .map(|at| grammar::function(&format!("F{round}x{at}"), &mut random))
            .collect();
        let jar = batch::compile(&tools, &functions, folder.path()).unwrap();
        let captured =
            Captured::of_jar(&tools, &jar, &["dev.example.Batch"], folder.path()).unwrap();
        let translator = captured.translator();
        let translate: &dyn Translate = &translator;
        for (name, said) in captured.judge(translate, &sidecar, &limits, random.next()).unwrap() {
            all += 1;
            match said {
                Said::Equal(events) => pairs += events,
                Said::Uncertain(_) => uncertain += 1,
                Said::Refused(why) => {
                    refused += 1;
                    *reasons.entry(why).or_default() += 1;
                }
                Said::Unequal(why) => {
                    let text = functions.iter().find(|function| function.name == name);
                    let text = text.map(|function| function.text.clone()).unwrap_or_default();
                    unequal.push(format!("{name}: {why}\n{text}"));
                }
            }
        }
    }
    println!("{all} functions, {refused} refused, {uncertain} uncertain, {pairs} pairs equal");
    for (why, count) in reasons {
        println!("  {count} {why}");
    }
    assert!(unequal.is_empty(), "seed {seed}: {}", unequal.join("\n"));
    assert!(refused * 10 <= all, "{refused} of {all} functions were refused");
    assert!(uncertain * 5 <= all, "{uncertain} of {all} functions gave up on an event");
}
