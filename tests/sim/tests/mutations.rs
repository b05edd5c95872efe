//! Every rule is needed: without it some seed fails. A rule whose absence nobody notices is not tested.

use sluice_sim::mutation::Mutation;
use sluice_sim::scenario::Scenario;
use sluice_sim::shrink;

/// Within so many seeds.
const SEEDS: u64 = 5_000;

#[test]
fn the_absence_of_every_rule_is_noticed() {
    let mut unnoticed = Vec::new();
    for mutation in Mutation::ALL {
        let noticed = (0..SEEDS)
            .find_map(|seed| Some((seed, shrink::run(&Scenario::of(seed), Some(*mutation))?)));
        match noticed {
            Some((seed, failure)) => println!("{mutation}: seed {seed}, {}", failure.invariant),
            None => unnoticed.push(mutation.name()),
        }
    }
    assert_eq!(unnoticed, Vec::<&str>::new());
}
