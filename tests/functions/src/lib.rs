//! Functions of Java beside their translations: those of a grammar, at random, and those of any job.
//!
//! | module | what |
//! |---|---|
//! | [`grammar`] | Java functions at random |
//! | [`batch`] | many of them as one job, compiled and captured |
//! | [`captured`] | a captured job, and each of its functions translated and judged |
//! | [`tools`] | the Java side, built if need be |

pub mod batch;
pub mod captured;
mod expressions;
pub mod grammar;
pub mod tools;

pub use captured::{Captured, Said};
