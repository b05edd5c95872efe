//! The generation: what makes broker-given numbers grow even when Sluice's topics are created anew (DESIGN section 2).
//!
//! It is the time of creation in minutes, so that it is above every earlier one as long as topics are not created
//! twice within a minute. Pure: what stands in the topics comes in, what is to be written goes out.

use serde::{Deserialize, Serialize};

/// 2026-01-01T00:00:00Z, epoch milliseconds.
const EPOCH_2026_MS: i64 = 1_767_225_600_000;
const MINUTE_MS: i64 = 60_000;

/// The value of the records under the key `generation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Minutes since 2026-01-01 UTC.
    pub generation: i64,
}

/// A partition that must hold the generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The topic.
    pub topic: &'static str,
    /// Its partition.
    pub partition: i32,
    /// Whether the topic was created just now.
    pub new: bool,
    /// What it holds.
    pub found: Option<i64>,
}

/// Which generation holds: that found, else that of the clock. Where it is `None` in a place, it is to be written.
///
/// # Errors
/// When the places disagree, or one was created anew and another was not: numbers would be given twice.
pub fn decide(places: &[Place], now_ms: i64) -> Result<i64, String> {
    let describe = |place: &Place| {
        let found = place.found.map_or("none".to_owned(), |found| found.to_string());
        format!("{} partition {}: {found}", place.topic, place.partition)
    };
    let listed = || places.iter().map(describe).collect::<Vec<_>>().join(", ");
    let mut found = places.iter().filter_map(|place| place.found);
    let Some(generation) = found.next() else {
        return Ok((now_ms - EPOCH_2026_MS) / MINUTE_MS);
    };
    let rule = "sluice.status and sluice.control are only re-created together: delete both and run init again";
    if found.any(|other| other != generation) {
        return Err(format!("the generations disagree ({}); {rule}", listed()));
    }
    match places.iter().find(|place| place.new) {
        Some(new) => {
            Err(format!("{} was missing, but others were not ({}); {rule}", new.topic, listed()))
        }
        None => Ok(generation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = EPOCH_2026_MS + 90 * MINUTE_MS + 1;

    fn decided(places: &[(bool, Option<i64>)]) -> Result<i64, String> {
        let place = |(i, &(new, found))| Place { topic: "t", partition: i as i32, new, found };
        decide(&places.iter().enumerate().map(place).collect::<Vec<_>>(), NOW_MS)
    }

    #[test]
    fn new_topics_take_the_time() {
        assert_eq!(decided(&[(true, None), (true, None)]), Ok(90));
    }

    #[test]
    fn an_existing_generation_is_kept_and_spread() {
        assert_eq!(decided(&[(false, Some(7)), (false, Some(7))]), Ok(7));
        assert_eq!(decided(&[(false, Some(7)), (false, None)]), Ok(7));
    }

    #[test]
    fn one_topic_alone_is_not_re_created() {
        assert!(decided(&[(false, Some(7)), (true, None)]).unwrap_err().contains("together"));
        assert!(decided(&[(false, Some(7)), (false, Some(8))]).unwrap_err().contains("disagree"));
    }
}
