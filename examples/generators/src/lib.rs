//! Seeded generators of the events that the example queries read: the same seed and device give the same bytes, on every
//! machine and in every version of this crate that calls itself the same.
//!
//! They imitate public data sets in form and in flaws; no row of those is in here.

mod date;
pub mod q1;
pub mod q2;
pub mod q3;
pub mod q4;
mod query;
mod random;
mod turns;

pub use query::{Generator, Query, UnknownQuery};
