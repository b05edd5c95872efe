//! Checked functions to code: all functions of a chain become one graph of blocks over single slots, in which records are no more.
//!
//! A record is the sequence of its fields, a nullable a flag and its value. An operator passes its output on by a jump into the next
//! one, so nothing is encoded between them, and what nobody reads falls away ([`simplify`]).
mod assemble;
mod graph;
mod lower;
mod prune;
mod shape;
mod simplify;

pub(crate) use lower::Stage;
pub(crate) use shape::{WIDTH_LIMIT, width};

use crate::run::Code;
use sluice_wire::Type;

/// The code of a chain of functions from values of `input` to values of `output`.
pub(crate) fn compile(input: &Type, output: &Type, stages: &[Stage]) -> Code {
    let mut lowered = lower::lower(input, output, stages);
    simplify::simplify(&mut lowered.graph);
    let passes_on = lowered.passes_its_input_on(input, output);
    let live = prune::prune(&mut lowered.graph, passes_on);
    assemble::assemble(lowered, &live, passes_on, input, output)
}
