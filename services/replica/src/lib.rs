//! The cloud replicas of operators (DESIGN section 3): each stage that is served is a worker, which takes the frames of its
//! stage topic, runs them through a range of operators and passes them on.
//!
//! Pure: [`serve`] (which stages), [`plan`] (what a stage needs), [`core`] (the worker's state machine), [`commit`]. The rest
//! moves bytes: [`worker`], [`pool`], [`config`], [`meters`], [`telemetry`].

pub mod commit;
pub mod config;
pub mod core;
pub mod meters;
pub mod plan;
pub mod pool;
pub mod serve;
pub mod telemetry;
pub mod worker;
