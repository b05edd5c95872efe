//! Killing processes while events flow.

use std::time::{Duration, Instant};

use super::LINKS;
use super::dice::Dice;
use crate::case::Case;

/// A kind of process that may be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Victim {
    /// The agent of a device.
    Edge,
    /// A cloud replica.
    Replica,
    /// The residual job.
    Residual,
    /// The broker; half as often as the others.
    Broker,
}

/// What to kill, and how often.
#[derive(Clone, Debug)]
pub struct KillOptions {
    /// Time between two kills.
    pub every: Duration,
    /// What may be killed; each kind once before any of them again.
    pub victims: Vec<Victim>,
    /// Kills one of every kind at the same moment.
    pub together: bool,
}

/// Draws who is killed when.
pub(super) struct Kills {
    options: KillOptions,
    random: Dice,
    case: &'static Case,
    next_at: Instant,
    /// Whose turn has not come yet in this round.
    round: Vec<Victim>,
    rounds: u32,
}

impl Kills {
    pub(super) fn new(
        options: KillOptions,
        case: &'static Case,
        seed: u64,
        from: Instant,
    ) -> Kills {
        let next_at = from + options.every;
        // Other draws than those of the switches.
        Kills { options, random: Dice::new(!seed), case, next_at, round: Vec::new(), rounds: 0 }
    }

    /// The processes to kill now; none while it is not time.
    pub(super) fn due(&mut self, now: Instant) -> Vec<String> {
        if now < self.next_at {
            return Vec::new();
        }
        self.next_at += self.options.every;
        if self.options.together {
            return self
                .options
                .victims
                .clone()
                .into_iter()
                .map(|kind| self.process(kind))
                .collect();
        }
        if self.round.is_empty() {
            self.begin_round();
        }
        let victim = self.random.take(&mut self.round);
        victim.map(|kind| self.process(kind)).into_iter().collect()
    }

    fn begin_round(&mut self) {
        self.rounds += 1;
        self.round = self.options.victims.clone();
        if self.rounds % 2 == 1 && self.round.iter().any(|victim| *victim != Victim::Broker) {
            self.round.retain(|victim| *victim != Victim::Broker);
        }
    }

    fn process(&mut self, victim: Victim) -> String {
        match victim {
            Victim::Edge => {
                let at = self.random.below(LINKS.len() as u32) as usize;
                format!("edge-{}", LINKS[at].device)
            }
            Victim::Replica => format!("replica-{}", 1 + self.random.below(self.case.operators)),
            Victim::Residual => "residual".to_owned(),
            Victim::Broker => "kafka".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// How often each kind was killed; devices and operators count together.
    fn killed(victims: &[Victim], together: bool, seconds: u64) -> BTreeMap<String, u32> {
        let start = Instant::now();
        let every = Duration::from_secs(5);
        let options = KillOptions { every, victims: victims.to_vec(), together };
        let mut kills = Kills::new(options, Case::of(sluice_generators::Query::Q1), 1, start);
        let mut killed = BTreeMap::new();
        for second in 0..seconds {
            for name in kills.due(start + Duration::from_secs(second)) {
                let kind = name.split('-').next().unwrap_or_default().to_owned();
                *killed.entry(kind).or_default() += 1;
            }
        }
        killed
    }

    #[test]
    fn every_kind_is_killed_the_broker_half_as_often() {
        use Victim::{Broker, Edge, Replica, Residual};
        let counts = |victims: &[Victim], together, seconds| {
            let killed = killed(victims, together, seconds);
            ["edge", "replica", "residual", "kafka"]
                .map(|kind| killed.get(kind).copied().unwrap_or_default())
        };
        let killed = |victims: &[Victim], seconds| counts(victims, false, seconds);
        let all = [Edge, Replica, Residual, Broker];
        assert_eq!(killed(&all, 5), [0, 0, 0, 0]);
        assert_eq!(killed(&all, 16), [1, 1, 1, 0]);
        assert_eq!(killed(&all, 36), [2, 2, 2, 1]);
        assert_eq!(killed(&all, 71), [4, 4, 4, 2]);
        assert_eq!(killed(&[Broker], 11), [0, 0, 0, 2]);
        assert_eq!(killed(&[Edge], 11), [2, 0, 0, 0]);
        assert_eq!(counts(&all, true, 11), [2, 2, 2, 2]);
    }
}
