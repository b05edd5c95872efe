//! Whether native functions do what the user's own do in a JVM: each runs beside the other, on events of a sample and on generated ones.
//!
//! | module | what |
//! |---|---|
//! | [`judge()`] | the operators of a plan, one after the other: each gets what the ones before it gave |
//! | [`ran`] | an operator run alone by one engine, and what became of each event |
//! | [`values`] | values of an Avro type: read, written, made up, changed |
//! | [`words`] | texts and numbers that may matter to a function: of its own text, and of the sample |
//! | [`mod@lines`] | the events of a source from the lines of a file |

mod judge;
pub mod lines;
pub mod ran;
pub mod values;
pub mod words;

pub use judge::{Judged, Limits, Verdict, apply, judge};
