//! The graph of a chain: blocks over single slots, in static single assignment form.
use crate::builtin::Run;
use crate::op::{Binary, Unary};
use crate::reason::Reason;
use std::collections::HashMap;

/// The number of a value; also of the slot that holds it.
pub(super) type Value = u32;
/// The number of a block; 0 is the entry.
pub(super) type BlockId = usize;

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Block>,
    /// How many values there are.
    values: u32,
    /// The values that are constant, with their bits.
    pub(super) constants: HashMap<Value, u64>,
    interned: HashMap<u64, Value>,
    /// The bytes of constant texts.
    pub(super) texts: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) params: Vec<Value>,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) result: Option<Value>,
    pub(super) op: Op,
    /// Where an exception goes; without one it ends the event.
    pub(super) catch: Option<Jump>,
    /// Whose function it is.
    pub(super) stage: usize,
}

#[derive(Debug)]
pub(super) enum Op {
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    Call(Callee, Vec<Value>),
    /// An element of a list that is known to be that long.
    Element(Value, u32),
    /// Sets the event's time.
    Time(Value),
    /// An output of the chain: a flag for null, and its slots.
    Emit(Vec<Value>),
}

/// What a call runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Callee {
    pub(super) run: Run,
    /// Whether it neither throws nor changes anything, so that it can be left out where nobody reads its result.
    pub(super) pure: bool,
    /// Whether its result is a text, which is not null.
    pub(super) text: bool,
    pub(super) known: Known,
}

impl Callee {
    /// A call of which nothing more is known.
    pub(super) fn new(run: Run, pure: bool) -> Callee {
        Callee { run, pure, text: false, known: Known::Nothing }
    }
}

/// What the compiler knows more of than that it is a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Known {
    #[default]
    Nothing,
    /// The length of a text.
    Length,
    /// The unit of a text at an index.
    CharAt,
    /// A new list.
    NewList,
    /// An element to the end of a list.
    Add,
    /// The element of a list at an index.
    Get,
    /// The size of a list.
    Size,
    /// A reference that must be a text.
    AsText,
}

impl Known {
    /// What a method or a built-in is.
    pub(super) fn of(name: &str) -> Known {
        match name {
            "java/lang/String.length()I" | "string.length" => Known::Length,
            "java/lang/String.charAt(I)C" | "string.char_at" => Known::CharAt,
            "java/util/ArrayList.<init>()V" => Known::NewList,
            "java/util/Collection.add(Ljava/lang/Object;)Z" => Known::Add,
            "java/util/List.get(I)Ljava/lang/Object;" => Known::Get,
            "java/util/Collection.size()I" => Known::Size,
            _ => Known::Nothing,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Jump {
    pub(super) block: BlockId,
    pub(super) args: Vec<Value>,
}

#[derive(Debug, Default)]
pub(super) enum End {
    /// The event is done.
    #[default]
    Halt,
    Jump(Jump),
    /// To the first where the value is true.
    Branch(Value, Jump, Jump),
    /// To the block of the value's number; they take no values.
    Switch(Value, Vec<BlockId>),
    /// The event is dead.
    Throw(Reason, usize),
}

impl Graph {
    /// A new value.
    pub(super) fn value(&mut self) -> Value {
        self.values += 1;
        self.values - 1
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.values as usize
    }

    /// The value of a constant.
    pub(super) fn constant(&mut self, bits: u64) -> Value {
        if let Some(value) = self.interned.get(&bits) {
            return *value;
        }
        let value = self.value();
        self.interned.insert(bits, value);
        self.constants.insert(value, bits);
        value
    }

    /// Calls values by other names, wherever they are read.
    pub(super) fn rename(&mut self, names: &HashMap<Value, Value>) {
        if names.is_empty() {
            return;
        }
        let renamed = |value: &mut Value| {
            while let Some(name) = names.get(value) {
                *value = *name;
            }
        };
        for block in &mut self.blocks {
            block.steps.iter_mut().for_each(|step| step.op.reads(renamed));
            block.jumps().for_each(|jump| jump.args.iter_mut().for_each(renamed));
            block.end.decides().into_iter().for_each(renamed);
        }
    }

    /// Which blocks are reached from one, without passing another.
    pub(super) fn reached(&mut self, from: BlockId, without: Option<BlockId>) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if Some(block) != without && !std::mem::replace(&mut seen[block], true) {
                open.extend(self.blocks[block].successors());
            }
        }
        seen
    }

    /// A new block without parameters.
    pub(super) fn block(&mut self) -> BlockId {
        self.blocks.push(Block::default());
        self.blocks.len() - 1
    }
}

impl Op {
    /// Whether it can be left out where nobody reads its result.
    pub(super) fn is_pure(&self) -> bool {
        match self {
            Op::Unary(..) | Op::Element(..) => true,
            Op::Binary(op, ..) => !crate::op::throws(*op),
            Op::Call(callee, _) => callee.pure,
            Op::Time(_) | Op::Emit(_) => false,
        }
    }

    /// The arguments, where it is a call of that.
    pub(super) fn call_of(&self, wanted: Known) -> Option<&[Value]> {
        match self {
            Op::Call(callee, args) if callee.known == wanted => Some(args),
            _ => None,
        }
    }

    /// Every value that it reads.
    pub(super) fn reads(&mut self, mut read: impl FnMut(&mut Value)) {
        match self {
            Op::Unary(_, a) | Op::Element(a, _) | Op::Time(a) => read(a),
            Op::Binary(_, a, b) => {
                read(a);
                read(b);
            }
            Op::Call(_, args) | Op::Emit(args) => args.iter_mut().for_each(read),
        }
    }
}

impl End {
    /// Every way out with values.
    pub(super) fn jumps(&mut self) -> impl Iterator<Item = &mut Jump> {
        let (one, other) = match self {
            End::Jump(jump) => (Some(jump), None),
            End::Branch(_, yes, no) => (Some(yes), Some(no)),
            End::Halt | End::Switch(..) | End::Throw(..) => (None, None),
        };
        one.into_iter().chain(other)
    }

    /// The value that decides, if one does.
    pub(super) fn decides(&mut self) -> Option<&mut Value> {
        match self {
            End::Branch(value, ..) | End::Switch(value, _) => Some(value),
            End::Halt | End::Jump(_) | End::Throw(..) => None,
        }
    }
}

impl Block {
    /// Every way out with values, of exceptions too.
    pub(super) fn jumps(&mut self) -> impl Iterator<Item = &mut Jump> {
        let catches = self.steps.iter_mut().filter_map(|step| step.catch.as_mut());
        catches.chain(self.end.jumps())
    }

    /// Whether both ways out lead to one block.
    pub(super) fn end_leads_twice_to(&self, to: BlockId) -> bool {
        matches!(&self.end, End::Branch(_, yes, no) if yes.block == to && no.block == to)
    }

    /// The blocks that may follow.
    pub(super) fn successors(&mut self) -> Vec<BlockId> {
        let mut blocks: Vec<BlockId> = self.jumps().map(|jump| jump.block).collect();
        if let End::Switch(_, to) = &self.end {
            blocks.extend(to);
        }
        blocks
    }
}

impl Jump {
    /// To a block without parameters.
    pub(super) fn to(block: BlockId) -> Jump {
        Jump { block, args: Vec::new() }
    }
}
