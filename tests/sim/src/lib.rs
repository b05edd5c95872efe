//! A simulator that tries to break the heart of Sluice: edges with spools, a broker, replicas in groups, and the reader with
//! its job, in one process on a virtual clock. It drives the real state machines of `sluice-edge`, `sluice-replica`,
//! `sluice-engine`, `sluice-model`, `sluice-spool` (its ledger), `sluice-wire` and `sluice-progress`; only what moves bytes
//! is its own. A seed is a whole story: [`Scenario::of`](scenario::Scenario::of) writes it, [`world::World`] plays it,
//! [`verdict`] compares the end with an unsplit job, [`shrink`] tells a failure as briefly as it can.

pub mod agent;
pub mod broker;
pub mod context;
pub mod dice;
pub mod disk;
pub mod events;
pub mod export;
pub mod mutation;
pub mod plot;
pub mod reader;
pub mod scenario;
pub mod shrink;
pub mod stage;
pub mod tally;
pub mod truth;
pub mod verdict;
pub mod world;
