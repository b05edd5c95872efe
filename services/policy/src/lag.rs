//! Whether the residual job keeps up.

use serde::{Deserialize, Serialize};

/// The frames that the residual job has not committed fall with each of its checkpoints and rise between them: only the least of a while
/// says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct LagFilter {
    /// When the while at hand began, and its least.
    least: Option<(i64, u64)>,
    /// The least of the while before.
    before: Option<u64>,
    behind: Option<u64>,
}

impl LagFilter {
    /// The frames that the job is behind, if that is more from one while of `window_ms` to the next.
    pub fn learn(&mut self, at_ms: i64, frames: Option<u64>, window_ms: i64) -> Option<u64> {
        let Some(frames) = frames else {
            *self = Self::default();
            return None;
        };
        match &mut self.least {
            None => self.least = Some((at_ms, frames)),
            Some((began_ms, least)) if at_ms - *began_ms < window_ms => {
                *least = (*least).min(frames);
            }
            Some((began_ms, least)) => {
                let before = self.before.replace(*least);
                self.behind = before.filter(|before| grows(*before, *least)).map(|_| *least);
                (*began_ms, *least) = (at_ms, frames);
            }
        }
        self.behind
    }
}

/// Small numbers of frames are always under way.
fn grows(before: u64, now: u64) -> bool {
    now > before + before / 5 + 100
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW_MS: i64 = 60_000;

    /// The lag of a job that commits every 10 s, over 5 min.
    fn behind(least: impl Fn(i64) -> u64) -> Option<u64> {
        let mut filter = LagFilter::default();
        let lag = |at_ms: i64| least(at_ms) + (at_ms % 10_000) as u64 / 20;
        (0..60)
            .map(|n| 5_000 * n)
            .fold(None, |_, at_ms| filter.learn(at_ms, Some(lag(at_ms)), WINDOW_MS))
    }

    #[test]
    fn what_falls_with_each_checkpoint_is_no_delay() {
        assert_eq!(behind(|_| 0), None);
        assert_eq!(behind(|_| 5_000), None);
    }

    #[test]
    fn a_job_that_falls_behind_is_seen() {
        assert!(behind(|at_ms| at_ms as u64 / 50) > Some(3_000));
    }

    #[test]
    fn one_that_catches_up_is_behind_no_more() {
        let mut filter = LagFilter::default();
        for (at_ms, frames) in [(0, 100), (60_000, 900), (120_000, 2_000)] {
            filter.learn(at_ms, Some(frames), WINDOW_MS);
        }
        assert_eq!(filter.learn(121_000, Some(3_000), WINDOW_MS), Some(900));
        assert_eq!(filter.learn(180_000, Some(0), WINDOW_MS), Some(2_000));
        filter.learn(240_000, Some(0), WINDOW_MS);
        assert_eq!(filter.learn(241_000, Some(0), WINDOW_MS), None);
        assert_eq!(filter.learn(242_000, None, WINDOW_MS), None);
    }
}
