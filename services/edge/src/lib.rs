//! The edge service: everything that runs on one device.
//!
//! | module | what |
//! |---|---|
//! | [`machine`] | pure: one input's state machine |
//! | [`supervisor`] | follows the shared topics, starts inputs |
//! | [`input`] | the shell around one machine: spool, operators, producer |
//! | [`frames`] | operators run, on the engines that they need; frames encoded |
//! | [`source`] | where events come from |
//! | [`telemetry`] | what an input counts for the controller |
//! | [`usage`] | whose processor time is whose |
//! | [`config`], [`deployment`], [`meters`] | settings, the copy of what is deployed, metrics |

pub mod config;
pub mod deployment;
pub mod frames;
pub mod input;
mod lanes;
pub mod machine;
pub mod meters;
mod packing;
pub mod source;
pub mod supervisor;
pub mod telemetry;
pub mod usage;
