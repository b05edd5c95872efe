//! The engine: executes the functions of movable operators over the Avro bytes of events (DESIGN.md section 4).
//!
//! A function comes as text in an intermediate representation ([`ir`]); a chain of them is compiled to one program ([`Chain`]) in which an event
//! passes from operator to operator in registers. Fields that nobody reads are not decoded, texts are spans of the input, and
//! an event that needs no new text allocates nothing.
//!
//! ```
//! use sluice_engine::{Chain, Operator};
//! use sluice_wire::{EventsBuffer, Type};
//!
//! let double = "
//!     map double(%x: long) -> long {
//!     start:
//!       %y = add %x, %x
//!       return %y
//!     }";
//! let operators = [Operator { name: "double", ir: double, constants: "" }];
//! let mut chain = Chain::compile(&[Type::Long, Type::Long], &operators, None, 0, 1).unwrap();
//! let mut out = EventsBuffer::new();
//! chain.run_event(0, None, Some(&[42]), &mut out).unwrap();
//! let mut expected = EventsBuffer::new();
//! expected.push(0, None, Some(&[84]));
//! assert_eq!(format!("{out:?}"), format!("{expected:?}"));
//! ```
//!
//! # The text
//! Declarations, then `KIND NAME(%PARAM: TYPE) -> TYPE { BLOCKS }`, KIND one of `map`, `flatmap`, `filter`, `timestamp`. A block is
//! `LABEL(%PARAM: TYPE, ...):`, then steps, then one of `jump`, `branch`, `unpack`, `return`, `throw`, `throw_ref`. A step is
//! `%RESULT = INSTRUCTION`, and `catch LABEL(ARGUMENT, ...)` where an exception is not to end the event. `#` begins a comment. Instructions:
//! [`ir::Unary`], [`ir::Binary`], [`ir::Expr`]. Types: `bool`, `int`, `long`, `float`, `double`, `string`, `bytes`, `list<string>`, `ref`,
//! records by name, and `T?` for T or null.
//!
//! A `ref` is a reference of Java: null, a text, a box, or an object. `class` declares a class whose objects the function makes or reads,
//! `constant` names an object of the function's constants, and `call "OWNER.NAME(DESCRIPTOR)"(...)` calls a method of Java's [`library`].

mod builtin;
mod chain;
mod check;
mod compile;
pub mod deployed;
mod engine;
mod flow;
mod heap;
pub mod ir;
pub mod jvm;
pub mod library;
mod memory;
mod op;
mod reason;
mod run;
mod segments;
mod ty;
mod typed;
mod units;

pub use chain::{Assigner, Chain, CompileError, Dead, Operator};
pub use engine::{Engine, EngineError, FrameOutcome};
pub use memory::Budget;
pub use reason::{Exception, Reason};
pub use segments::Segments;
