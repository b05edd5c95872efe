//! Every seed keeps every promise. `SLUICE_SIM_SEEDS` sets how many are played; the first one that fails is shrunk.

use sluice_sim::scenario::Scenario;
use sluice_sim::shrink;
use sluice_sim::tally::Tally;
use sluice_sim::world::World;

const SEEDS: u64 = 2_000;

fn seeds() -> u64 {
    let set = std::env::var("SLUICE_SIM_SEEDS").ok();
    set.map_or(SEEDS, |text| text.parse().expect("SLUICE_SIM_SEEDS is a number"))
}

#[test]
fn every_seed_keeps_every_promise() {
    let mut total = Tally::default();
    for seed in 0..seeds() {
        let scenario = Scenario::of(seed);
        let mut world = World::new(&scenario, None, false, false);
        if let Some(failure) = world.run() {
            panic!("{}", shrink::report(&shrink::shrink(&scenario, failure, None), None));
        }
        total.add(&Tally::of(&world));
    }
    println!("{total}");
    if seeds() >= SEEDS {
        assert_eq!(total.never(), Vec::<&str>::new(), "faults that never bit");
    }
}

#[test]
fn a_seed_is_one_story() {
    for seed in [3, 7, 11] {
        let told = || {
            let mut world = World::new(&Scenario::of(seed), None, true, false);
            world.run();
            world.context.told.take()
        };
        assert_eq!(told(), told());
    }
}
