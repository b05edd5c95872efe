//! A checked function: names resolved, types known. Blocks stand so that a register's definition comes before its uses.
use crate::builtin::Builtin;
use crate::heap::{ClassId, Element};
use crate::ir::{Binary, Kind, Literal, Unary};
use crate::library::Method;
use crate::ty::Ty;
use std::sync::Arc;

/// The number of a register.
pub(crate) type Register = usize;
/// The number of a block; 0 is the entry.
pub(crate) type BlockId = usize;

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) kind: Kind,
    /// The input's type; its register is 0.
    pub(crate) param: Ty,
    /// The type of what it passes on (of a filter and a timestamp: its input's).
    pub(crate) output: Ty,
    /// The slots of the constants, whose registers follow that of the input.
    pub(crate) constants: Vec<u64>,
    /// The type of each register.
    pub(crate) registers: Vec<Ty>,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) params: Vec<Register>,
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) result: Option<Register>,
    pub(crate) expr: Expr,
    pub(crate) catch: Option<Target>,
}

#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) block: BlockId,
    pub(crate) args: Vec<Operand>,
}

#[derive(Debug, Clone)]
pub(crate) enum Operand {
    Register(Register),
    Literal(Literal),
}

#[derive(Debug)]
pub(crate) enum Expr {
    Unary(Unary, Operand),
    Binary(Binary, Operand, Operand),
    /// The null of this type (without its null).
    Null(Ty),
    /// A record of these fields, in the order of the type.
    New(Vec<Operand>),
    With(Operand, Vec<(usize, Operand)>),
    Get(Operand, usize),
    Call(&'static Builtin, Vec<Operand>),
    Emit(Operand),
    Library(&'static Method, Vec<Operand>),
    Concat(Vec<Piece>),
    Is(Operand, ClassId),
    Cast(Operand, ClassId),
    Object(ClassId),
    /// Of a class, its field at a place.
    Load(Operand, ClassId, usize),
    Store(Operand, ClassId, usize, Operand),
    Array(ClassId, Element, Operand),
    ArrayGet(Element, Operand, Operand),
    ArraySet(Element, Operand, Operand, Operand),
    Caught,
    Exception(ClassId, Operand),
}

/// A piece of a concatenation.
#[derive(Debug)]
pub(crate) enum Piece {
    Text(String),
    Char(Operand),
    Value(Operand),
}

#[derive(Debug)]
pub(crate) enum End {
    Jump(Target),
    Branch(Operand, Target, Target),
    Unpack(Operand, BlockId, Target),
    Return(Option<Operand>),
    Throw(Arc<str>),
    ThrowRef(Operand),
}
