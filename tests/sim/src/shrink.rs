//! The shortest story of a failure: steps, devices and time are left out as long as it still fails.

use crate::context::Failure;
use crate::mutation::Mutation;
use crate::scenario::Scenario;
use crate::world::World;

/// How many runs a search may cost.
const MAX_RUNS: usize = 600;

/// A failure and the smallest scenario found that has one of its kind.
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// The scenario.
    pub scenario: Scenario,
    /// What fails in it.
    pub failure: Failure,
}

/// Runs a scenario.
#[must_use]
pub fn run(scenario: &Scenario, mutation: Option<Mutation>) -> Option<Failure> {
    World::new(scenario, mutation, false, false).run()
}

/// Shrinks a scenario that fails.
#[must_use]
pub fn shrink(scenario: &Scenario, failure: Failure, mutation: Option<Mutation>) -> Shrunk {
    let mut search =
        Search { best: Shrunk { scenario: scenario.clone(), failure }, mutation, runs: 0 };
    while search.runs < MAX_RUNS && search.pass() {}
    search.best
}

struct Search {
    best: Shrunk,
    mutation: Option<Mutation>,
    runs: usize,
}

impl Search {
    /// Tries everything once; true if something helped.
    fn pass(&mut self) -> bool {
        let mut helped = self.shorten();
        let mut size = (self.best.scenario.plot.len() / 2).max(1);
        loop {
            let mut at = 0;
            while at < self.best.scenario.plot.len() && self.runs < MAX_RUNS {
                let mut smaller = self.best.scenario.clone();
                let end = (at + size).min(smaller.plot.len());
                smaller.plot.drain(at..end);
                if self.accept(smaller) { helped = true } else { at += size }
            }
            if size == 1 || self.runs >= MAX_RUNS {
                return helped;
            }
            size /= 2;
        }
    }

    /// Ends the faults right behind the failure, and the plot in front of it.
    fn shorten(&mut self) -> bool {
        let mut shorter = self.best.scenario.clone();
        let last_ms = shorter.plot.last().map_or(0, |step| step.at_ms);
        let until_ms = (self.best.failure.at_ms + 1).min(last_ms + 1_000);
        if until_ms >= shorter.faults_until_ms {
            return false;
        }
        shorter.faults_until_ms = until_ms;
        shorter.plot.retain(|step| step.at_ms < until_ms);
        self.accept(shorter)
    }

    fn accept(&mut self, scenario: Scenario) -> bool {
        self.runs += 1;
        match run(&scenario, self.mutation) {
            Some(failure) if failure.invariant == self.best.failure.invariant => {
                self.best = Shrunk { scenario, failure };
                true
            }
            _ => false,
        }
    }
}

/// What a person reads of a failure.
#[must_use]
pub fn report(shrunk: &Shrunk, mutation: Option<Mutation>) -> String {
    let Shrunk { scenario, failure } = shrunk;
    let steps: Vec<String> = scenario.plot.iter().map(ToString::to_string).collect();
    let broken = mutation.map_or(String::new(), |mutation| format!(" --mutation {mutation}"));
    format!(
        "seed {} ({:?}) fails at {} ms, {}: {}\nagain: sluice-sim --seed {} --trace{broken}\nthe shortest plot found, until {} ms:\n{}\n",
        scenario.seed,
        scenario.class,
        failure.at_ms,
        failure.invariant,
        failure.text,
        scenario.seed,
        scenario.faults_until_ms,
        steps.join("\n")
    )
}
