//! Code: instructions over numbered slots.
use super::{Load, Output};
use crate::builtin::Run;
use crate::heap::{Classes, Heap};
use crate::op::{Binary, Unary};
use crate::reason::Reason;

/// The place of an instruction.
pub(crate) type Place = u32;
/// The number of a slot.
pub(crate) type Slot = u32;
/// In the place of a catch: an exception ends the event.
pub(crate) const NO_CATCH: Place = Place::MAX;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Instruction {
    Unary {
        op: Unary,
        result: Slot,
        a: Slot,
    },
    Binary {
        op: Binary,
        result: Slot,
        a: Slot,
        b: Slot,
    },
    /// One that may throw.
    Divide {
        op: Binary,
        result: Slot,
        a: Slot,
        b: Slot,
        catch: Place,
    },
    /// Calls a built-in with the slots `args..args + count` of [`Code::args`].
    Call {
        run: Run,
        result: Slot,
        args: u32,
        count: u8,
        catch: Place,
    },
    /// The sum of two ints.
    AddInt {
        result: Slot,
        a: Slot,
        b: Slot,
    },
    /// The unit of a text at an index.
    CharAt {
        result: Slot,
        text: Slot,
        index: Slot,
        catch: Place,
    },
    /// The length of a text.
    Length {
        result: Slot,
        text: Slot,
    },
    /// To a place unless one int is less than the other.
    UnlessLess {
        a: Slot,
        b: Slot,
        to: Place,
    },
    /// To a place unless one int is at most the other.
    UnlessAtMost {
        a: Slot,
        b: Slot,
        to: Place,
    },
    /// To a place unless both are the same.
    UnlessEqual {
        a: Slot,
        b: Slot,
        to: Place,
    },
    /// To a place unless they differ.
    UnlessDifferent {
        a: Slot,
        b: Slot,
        to: Place,
    },
    /// Counts a round of a loop, and goes to a place.
    Loop(Place),
    Element {
        result: Slot,
        list: Slot,
        index: u32,
    },
    Move {
        result: Slot,
        from: Slot,
    },
    Jump(Place),
    /// To a place where the slot is zero, else on.
    Unless {
        condition: Slot,
        to: Place,
    },
    /// To the place at `tables[table][slot]`.
    Switch {
        slot: Slot,
        table: u32,
    },
    Time(Slot),
    Emit,
    /// The event is dead, for the reason of that number.
    Throw(u32),
    Halt,
}

/// The code of a chain.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// By instruction: the number of the function that it came from.
    pub(crate) stages: Vec<u16>,
    pub(crate) args: Vec<Slot>,
    pub(crate) tables: Vec<Vec<Place>>,
    pub(crate) reasons: Vec<Reason>,
    /// The slots before an event: constants, and zeros.
    pub(crate) slots: Vec<u64>,
    /// The bytes of constant texts.
    pub(crate) texts: Vec<u8>,
    /// The objects of constants.
    pub(crate) frozen: Heap,
    /// The classes that the functions name.
    pub(crate) classes: Classes,
    /// The slot that says whether the input is null.
    pub(crate) null: Slot,
    /// How the input gets into slots.
    pub(crate) load: Load,
    /// What [`Instruction::Emit`] writes.
    pub(crate) output: Output,
}
