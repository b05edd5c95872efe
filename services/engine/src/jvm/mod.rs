//! The engine `jvm`: the user's own classes in a sidecar process (DESIGN.md section 4, docs/adr/019).
//!
//! A [`Sidecar`] is one process for an agent or a replica; it runs while there are [`JvmChain`]s. Each chain has a connection of its own, so that
//! chains run side by side. The death of the process costs a respawn and a replay of the frame; a frame that kills it twice is halved until the
//! event that does it is found, which dies with the reason. What is spoken is described in the host's `Protocol.java`.

mod chain;
mod connection;
mod counters;
mod isolate;
mod message;
mod process;
mod sidecar;

pub use chain::{ChainSpec, JvmChain, StepSpec};
pub use counters::Counters;
pub use sidecar::{Options, Sidecar};

/// The name of the host's threads that run chains.
pub const CHAIN_THREAD: &str = "chain";
