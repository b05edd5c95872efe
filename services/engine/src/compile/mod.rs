//! Checked functions to code: all functions of a chain become one graph of blocks over single slots, in which records are no more.
//!
//! A record is the sequence of its fields, a nullable a flag and its value. An operator passes its output on by a jump into the next
//! one, so nothing is encoded between them, and what nobody reads falls away ([`simplify`]).
mod assemble;
mod graph;
mod lengths;
mod lower;
mod objects;
mod prune;
mod scans;
mod shape;
mod simplify;
mod texts;

pub(crate) use lower::Stage;
pub(crate) use shape::{WIDTH_LIMIT, width};

use crate::heap::World;
use crate::run::Code;
use sluice_wire::Type;

/// The code of a chain of functions from values of `input` to values of `output`.
pub(crate) fn compile(input: &Type, output: &Type, stages: &[Stage], world: World) -> Code {
    let mut lowered = lower::lower(input, output, stages, world);
    simplify::simplify(&mut lowered.graph);
    texts::settle(&mut lowered.graph);
    lengths::hoist(&mut lowered.graph);
    scans::shorten(&mut lowered.graph);
    simplify::simplify(&mut lowered.graph);
    let passes_on = lowered.passes_its_input_on(input, output);
    let live = prune::prune(&mut lowered.graph, passes_on);
    assemble::assemble(lowered, &live, passes_on, input, output)
}
