//! Seeded generators of the events that the example queries read: the same seed and device give the same bytes, on every
//! machine and in every version of this crate that calls itself the same.
//!
//! They imitate public data sets in form and in flaws; no row of those is in here.

pub mod q1;
mod random;
