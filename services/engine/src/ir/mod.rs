//! The intermediate representation (IR) of an operator's function and its textual form.
//!
//! A function is in static single assignment form: blocks take parameters, jumps give them arguments, and every register is
//! defined once. Values have Java's semantics, so that bytecode of the JVM maps onto it one to one. The text is what a deployed query carries
//! (`schemas/DeployedQuery.avsc`); `docs` of the crate show one.
mod ast;
mod lexer;
mod parse;
mod print;

pub use ast::{
    Binary, Block, Class, Constant, Element, End, Expr, Function, Kind, Literal, Operand, Param,
    Position, Step, Target, TypeName, Unary,
};
pub use parse::{ParseError, parse};
