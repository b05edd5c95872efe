//! A fleet in discrete time under the same policies as the real one.
//!
//! Each device is a handful of fluid queues (source, spool, edge CPU, uplink with its in-flight budget); conditions follow seeded scripts; what
//! the policy sees are reports with noise, some of them lost, repeated or late. Beside each run stands a clairvoyant one, which knows every cost
//! and limit at every moment.

pub mod clairvoyant;
pub mod controller;
pub mod cpu_clock;
pub mod device;
pub mod plot;
pub mod profile;
pub mod reporter;
pub mod run;
pub mod score;
pub mod script;

pub use profile::Profile;
pub use run::{Options, PolicyName, run};
pub use score::Score;
pub use script::Trace;
