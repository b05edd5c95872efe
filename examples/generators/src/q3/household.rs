//! A household and what it draws.

use super::reading::Reading;
use super::{FIRST_SLOT, SLOT_S};
use crate::random::Random;

/// Households per device.
pub(super) const HOUSEHOLDS: u32 = 40;
/// One household in as many stops for good, after half a month to four months.
const STOPS_EVERY: u32 = 20;
const SHORTEST_SLOTS: u32 = 700;
const LONGEST_SLOTS: u32 = 6_000;

#[derive(Clone, Debug)]
pub(super) struct Household {
    /// What it draws at its usual hour, thousandths of a kWh in half an hour.
    usual: u32,
    /// How often it draws much, in 10,000 half hours.
    much_per_10000: u32,
    /// Between what it then draws.
    much: (u32, u32),
    /// Its last half hour, epoch seconds.
    stops_s: Option<u64>,
    last: Reading,
}

impl Household {
    pub(super) fn new(device: u32, number: u32, random: &mut Random) -> Household {
        let among_all = u64::from(device) * u64::from(HOUSEHOLDS) + u64::from(number);
        let name = format!("MAC{:06}", 1 + among_all % 999_998);
        let (most_per_10000, much) = match device % 5 {
            0 => (1200, (1950, 4300)),
            4 => (280, (1950, 3900)),
            _ => (1000, (1200, 1960)),
        };
        let length = SHORTEST_SLOTS + random.below(LONGEST_SLOTS - SHORTEST_SLOTS);
        let stops = number % STOPS_EVERY == 7;
        Household {
            usual: 20 + random.below(200) + random.below(200),
            much_per_10000: random.below(most_per_10000),
            much,
            stops_s: stops.then_some((FIRST_SLOT + u64::from(length)) * SLOT_S),
            last: Reading::of(name, FIRST_SLOT * SLOT_S, usual_form(0, random)),
        }
    }

    /// Its latest reading.
    pub(super) fn last(&self) -> &Reading {
        &self.last
    }

    /// What it counts in the half hour from `time_s` on; nothing once it has stopped.
    pub(super) fn read(&mut self, time_s: u64, random: &mut Random) -> Option<Reading> {
        if self.stops_s.is_some_and(|stops_s| time_s > stops_s) {
            return None;
        }
        let hour = time_s / 3600 % 24;
        let percent = match hour {
            0..=5 => 40,
            6..=8 => 110,
            17..=22 => 160,
            _ => 80,
        };
        let thousandths = if random.chance(self.much_per_10000) {
            self.much.0 + random.below(self.much.1 - self.much.0)
        } else {
            (self.usual * percent / 100 * (50 + random.below(100)) / 100).min(1190)
        };
        self.last.renew(time_s, usual_form(thousandths, random));
        Some(self.last.clone())
    }
}

/// A number of thousandths as the files write it: no zeros at the end, and now and then as a number that passed through
/// 32 bits on its way.
fn usual_form(thousandths: u32, random: &mut Random) -> String {
    let (whole, fraction) = (thousandths / 1000, thousandths % 1000);
    if whole > 0 && random.chance(1000) {
        let nearly = u64::from(thousandths) * 10_000 + u64::from(random.below(2) * 2) - 1;
        return format!("{}.{:07}", nearly / 10_000_000, nearly % 10_000_000);
    }
    match fraction {
        0 => whole.to_string(),
        fraction => format!("{whole}.{fraction:03}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_has_no_zeros_at_its_end() {
        let mut random = Random::new(1, 1);
        for (thousandths, text) in [(0, "0"), (5, "0.005"), (120, "0.12"), (900, "0.9")] {
            assert_eq!(usual_form(thousandths, &mut random), text);
        }
    }

    #[test]
    fn some_energies_passed_through_32_bits() {
        let mut random = Random::new(1, 1);
        let forms: Vec<_> = (0..100).map(|_| usual_form(2356, &mut random)).collect();
        for form in ["2.356", "2.3559999", "2.3560001"] {
            assert!(forms.contains(&form.to_owned()), "{form}");
        }
    }
}
