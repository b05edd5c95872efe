//! Small jobs of our own (`jobs/`), each run unsplit and split over seeded lines, its cuts switched at random: the outputs must be equal.
//! Everything goes through the library behind `sluice check`.

use std::hash::{BuildHasher as _, RandomState};

pub mod cases;
pub mod plans;
pub mod samples;
pub mod workshop;

/// The seed of this run's lines and cuts: `SLUICE_EQUIVALENCE_SEED`, else another one each time; the reports name it.
#[must_use]
pub fn seed() -> u64 {
    static SEED: std::sync::LazyLock<u64> = std::sync::LazyLock::new(|| {
        let given =
            std::env::var("SLUICE_EQUIVALENCE_SEED").ok().and_then(|seed| seed.parse().ok());
        given.unwrap_or_else(|| RandomState::new().hash_one("seed"))
    });
    *SEED
}
