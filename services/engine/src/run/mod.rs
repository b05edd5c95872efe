//! The execution of a chain's code.
mod code;
mod load;
mod machine;
mod store;

pub(crate) use code::{Code, Instruction, NO_CATCH, Place};
pub(crate) use load::Load;
pub(crate) use machine::Machine;
pub(crate) use store::{Output, Store};
