//! The engines of deployed operators in an agent or a replica: where the host and the job's files lie, and what is lacking (docs/adr/019, 020).
//!
//! Nothing is needed of it, and nothing started, for what runs natively.

mod engines;
pub mod meters;
mod settings;

pub use engines::{Engines, Range};
pub use settings::Settings;
