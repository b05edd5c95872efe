//! Split against unsplit: the same job over the same sample, locally and without Kafka, record by record.
//!
//! | module | what |
//! |---|---|
//! | [`prepare`] | capture and plan |
//! | [`check()`] | the check of one job: which runs are made, and what is compared |
//! | [`frames`] | prefixes in frames on random ways, by the engines |
//! | [`flink`], [`tools`] | local runs of Flink |
//! | [`prefix`], [`sinks`], [`compare`] | what is compared with what |
//! | [`report`] | what was found |

pub mod check;
pub mod compare;
pub mod events;
pub mod flink;
pub mod frames;
pub mod prefix;
pub mod prepare;
pub mod random;
pub mod report;
pub mod samples;
pub mod sinks;
pub mod tools;

pub use check::{Bench, check};
pub use prepare::{Job, Prepared};
pub use report::{Finding, Report};
pub use samples::Sources;
