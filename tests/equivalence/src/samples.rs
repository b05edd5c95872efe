//! Lines for the jobs to read: seeded, with the flaws of real ones.

use sluice_check::random::Random;

/// What a source's lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// `sensor,time,value`, some too late for their window, some malformed.
    Readings,
    /// The same, but none later than the jobs allow: the fate of each does not depend on the other source.
    TimelyReadings,
    /// Readings without malformed lines.
    CleanReadings,
    /// Words, blanks, signs.
    Sentences,
    /// A few short texts.
    Rules,
}

const SENSORS: [&str; 5] = ["a1", "b2", "c3", "d4", "ä5"];
const VALUES: [&str; 9] = ["12.5", "-3", "1e1", "0.1", "99.99", "", "0", "55", "7.000001"];
const MALFORMED: [&str; 11] = [
    "",
    "?",
    "a1",
    "a1,5",
    "a1,x,3",
    "a1,5,",
    "a,b,c,d",
    ",7,7",
    "a1,7,x",
    "b2,99999999999999999999,1",
    "\u{1F600},?,\u{e9}",
];
const WORDS: [&str; 12] = [
    "the",
    "quick",
    "brown",
    "fox",
    "Stra\u{df}e",
    "\u{130}stanbul",
    "temperature",
    "a",
    "I",
    "42",
    "\u{1F600}",
    "over-night",
];

impl Sample {
    /// The lines of a seed, each with its end.
    #[must_use]
    pub fn lines(self, seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed ^ self as u64);
        let mut text = String::new();
        match self {
            Self::Readings => readings(&mut random, 12, 8, &mut text),
            Self::TimelyReadings => readings(&mut random, 4, 8, &mut text),
            Self::CleanReadings => readings(&mut random, 12, 0, &mut text),
            Self::Sentences => (0..300).for_each(|_| sentence(&mut random, 6, &mut text)),
            Self::Rules => (0..20).for_each(|_| sentence(&mut random, 2, &mut text)),
        }
        text.into_bytes()
    }
}

/// Readings up to `disorder_s` seconds out of order, `malformed` of a hundred lines of which are none.
fn readings(random: &mut Random, disorder_s: usize, malformed: usize, out: &mut String) {
    let mut now_ms = 1_700_000_000_000_i64;
    for _ in 0..400 {
        if random.below(100) < malformed {
            out.push_str(random.pick(&MALFORMED));
        } else {
            now_ms += random.below(400) as i64;
            // Most are nearly in order.
            let back_ms = if random.below(8) == 0 {
                random.below(disorder_s * 1000)
            } else {
                random.below(300)
            };
            let (sensor, value) = (random.pick(&SENSORS), random.pick(&VALUES));
            out.push_str(&format!("{sensor},{},{value}", now_ms - back_ms as i64));
        }
        out.push('\n');
    }
}

fn sentence(random: &mut Random, most: usize, out: &mut String) {
    for _ in 0..random.below(most + 1) {
        out.push_str(random.pick(&WORDS));
        out.push_str(random.pick(&[" ", " ", "  ", ", ", ""]));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_lines_and_others_do_not() {
        for sample in
            [Sample::Readings, Sample::TimelyReadings, Sample::CleanReadings, Sample::Sentences]
        {
            assert_eq!(sample.lines(1), sample.lines(1));
            assert_ne!(sample.lines(1), sample.lines(2));
        }
    }

    #[test]
    fn timely_readings_are_not_late() {
        let lines = String::from_utf8(Sample::TimelyReadings.lines(5)).unwrap();
        let mut highest = 0;
        for line in lines.lines().filter(|line| line.split(',').count() == 3) {
            let Ok(time) = line.split(',').nth(1).unwrap_or("").parse::<i64>() else { continue };
            if time > 1_600_000_000_000 {
                assert!(time > highest - 5_000, "{line}");
                highest = highest.max(time);
            }
        }
    }
}
