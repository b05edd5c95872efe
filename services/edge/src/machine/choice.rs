//! The choice points: which cut the next frame leaves at, so that the shares of a plan are kept.

use sluice_model::{Cut, Shares};

/// Shares the events among the cuts of a plan. At any time each cut is behind its share by less than the events of the
/// largest frame times the number of cuts.
#[derive(Debug)]
pub struct CutChooser {
    /// Cut, share per mille, and its credit in thousandths of an event.
    lanes: Vec<(Cut, i64, i64)>,
}

impl CutChooser {
    /// Begins a plan with even credit.
    pub fn new(shares: &Shares) -> Self {
        let lanes = shares.as_slice().iter().map(|s| (s.cut, i64::from(s.per_mille), 0)).collect();
        Self { lanes }
    }

    /// The cut that is furthest behind its share; of equals the one with the largest share, then the lowest.
    pub fn peek(&self) -> Cut {
        let furthest =
            self.lanes.iter().max_by_key(|(cut, share, credit)| (*credit, *share, -cut.0));
        furthest.map_or(Cut(0), |(cut, _, _)| *cut)
    }

    /// Counts `events` that left at `cut`.
    pub fn assign(&mut self, cut: Cut, events: u64) {
        let events = i64::try_from(events).unwrap_or(i64::MAX / 1_000_000);
        for (lane, share, credit) in &mut self.lanes {
            *credit += events * *share;
            if *lane == cut {
                *credit -= events * 1_000;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sluice_model::Share;

    proptest! {
        #[test]
        fn every_cut_gets_its_share(
            a in 0i32..=1000, frames in prop::collection::vec(1u64..500, 1..200)
        ) {
            let shares = [(0, a), (2, 1000 - a)].map(|(c, per_mille)| Share { cut: Cut(c), per_mille });
            let mut chooser = CutChooser::new(&Shares::new(shares.to_vec()).unwrap());
            let (mut total, mut at_zero) = (0, 0);
            for &events in &frames {
                let cut = chooser.peek();
                chooser.assign(cut, events);
                total += events;
                at_zero += if cut == Cut(0) { events } else { 0 };
                let due = total as f64 * f64::from(a) / 1000.0;
                prop_assert!((at_zero as f64 - due).abs() <= 1_000.0);
            }
        }
    }
}
