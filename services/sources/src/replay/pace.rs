//! How fast a replay plays: a rate, or several one after the other.

use std::str::FromStr;
use std::time::Duration;

/// Rates with the time since the start from which on each holds; the first holds from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace(Vec<(Duration, u64)>);

impl Pace {
    /// One rate, events a second; 0 is as fast as they can be accepted.
    #[must_use]
    pub fn steady(rate: u64) -> Self {
        Self(vec![(Duration::ZERO, rate)])
    }

    /// Lines that are due after this time.
    #[must_use]
    pub fn due(&self, elapsed: Duration) -> usize {
        let ends = self.0.iter().skip(1).map(|(from, _)| *from).chain([Duration::MAX]);
        let mut due = 0u128;
        for ((from, rate), end) in self.0.iter().zip(ends) {
            let held = elapsed.min(end).saturating_sub(*from);
            if *rate == 0 && !held.is_zero() {
                return usize::MAX;
            }
            due += held.as_micros() * u128::from(*rate);
        }
        usize::try_from(due / 1_000_000).unwrap_or(usize::MAX)
    }
}

impl FromStr for Pace {
    type Err = String;

    /// `0:1000,60:1500`: 1,000 a second, and from second 60 on 1,500.
    fn from_str(text: &str) -> Result<Self, String> {
        let step = |part: &str| {
            let (from, rate) = part.split_once(':')?;
            let from = Duration::from_secs(from.trim().parse().ok()?);
            Some((from, rate.trim().parse().ok()?))
        };
        let steps: Option<Vec<_>> = text.split(',').map(step).collect();
        let steps = steps.ok_or("must be SECONDS:RATE, several with commas")?;
        let grows = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
        match steps.first() {
            Some((Duration::ZERO, _)) if grows => Ok(Self(steps)),
            _ => Err("must begin at 0 and go on in order".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rate_holds_until_the_next() {
        let pace: Pace = "0:1000,60:2000,70:10".parse().unwrap();
        let due = |seconds| pace.due(Duration::from_secs(seconds));
        assert_eq!(
            [due(0), due(30), due(60), due(65), due(80)],
            [0, 30_000, 60_000, 70_000, 80_100]
        );
        assert_eq!(Pace::steady(0).due(Duration::from_millis(1)), usize::MAX);
        assert_eq!(Pace::steady(0).due(Duration::ZERO), 0);
        for bad in ["", "5:1", "0:1,0:2", "0:x", "0:1;5:2"] {
            assert!(bad.parse::<Pace>().is_err(), "{bad}");
        }
    }
}
