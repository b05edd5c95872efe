//! What is known at a place of the program: the frames of the calls, and the objects whose fields are known.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::value::{ObjectId, Operand, Reg, Value};

/// The number of a context: a method inlined at a place of another context.
pub(crate) type ContextId = u32;

/// The variables of a method in work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    pub(crate) context: ContextId,
    pub(crate) locals: Vec<Value>,
    /// One place for each value, whatever its width.
    pub(crate) stack: Vec<Value>,
}

/// An object whose fields are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Object {
    pub(crate) class: Rc<str>,
    /// Whether the reference to it is null: a truth.
    pub(crate) null: Operand,
    /// The register with the record that it was read from.
    pub(crate) record: Option<Reg>,
    pub(crate) fields: BTreeMap<Rc<str>, Value>,
}

/// All that is known at a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct State {
    /// The innermost is the last.
    pub(crate) frames: Vec<Frame>,
    pub(crate) objects: BTreeMap<ObjectId, Object>,
}

/// Where a value stands in a state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    Local(usize, usize),
    Stack(usize, usize),
    Field(ObjectId, Rc<str>),
    /// Whether an object is null.
    Null(ObjectId),
}

impl State {
    pub(crate) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a method is in work")
    }

    /// The slots of the frames in order.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        for (depth, frame) in self.frames.iter().enumerate() {
            slots.extend((0..frame.locals.len()).map(|at| Slot::Local(depth, at)));
            slots.extend((0..frame.stack.len()).map(|at| Slot::Stack(depth, at)));
        }
        slots
    }

    pub(crate) fn get(&self, slot: &Slot) -> Option<&Value> {
        match slot {
            Slot::Local(depth, at) => self.frames.get(*depth)?.locals.get(*at),
            Slot::Stack(depth, at) => self.frames.get(*depth)?.stack.get(*at),
            Slot::Field(object, name) => self.objects.get(object)?.fields.get(name),
            Slot::Null(_) => None,
        }
    }

    pub(crate) fn set(&mut self, slot: &Slot, value: Value) {
        let place = match slot {
            Slot::Local(depth, at) => {
                self.frames.get_mut(*depth).and_then(|f| f.locals.get_mut(*at))
            }
            Slot::Stack(depth, at) => {
                self.frames.get_mut(*depth).and_then(|f| f.stack.get_mut(*at))
            }
            Slot::Field(object, name) => {
                self.objects.get_mut(object).and_then(|object| object.fields.get_mut(name))
            }
            Slot::Null(_) => None,
        };
        if let Some(place) = place {
            *place = value;
        }
    }

    /// Every value that stands in a frame or an object.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let frames =
            self.frames.iter_mut().flat_map(|f| f.locals.iter_mut().chain(f.stack.iter_mut()));
        frames.chain(self.objects.values_mut().flat_map(|object| object.fields.values_mut()))
    }

    /// How many references to an object there are.
    pub(crate) fn references(&self, object: &ObjectId) -> usize {
        let frames = self.frames.iter().flat_map(|f| f.locals.iter().chain(f.stack.iter()));
        let fields = self.objects.values().flat_map(|object| object.fields.values());
        frames.chain(fields).map(|value| mentions(value, object)).sum()
    }

    /// Forgets objects that nothing refers to.
    pub(crate) fn sweep(&mut self) {
        let mut reached: BTreeSet<ObjectId> = BTreeSet::from([ObjectId::This]);
        let mut open: Vec<ObjectId> = vec![ObjectId::This];
        let frames = self.frames.iter().flat_map(|f| f.locals.iter().chain(f.stack.iter()));
        for value in frames {
            reach(value, &mut reached, &mut open);
        }
        while let Some(object) = open.pop() {
            if let Some(object) = self.objects.get(&object) {
                object.fields.values().for_each(|value| reach(value, &mut reached, &mut open));
            }
        }
        self.objects.retain(|id, _| reached.contains(id));
    }
}

fn mentions(value: &Value, object: &ObjectId) -> usize {
    match value {
        Value::Object(id) => usize::from(id == object),
        Value::Lambda(lambda) => lambda.captured.iter().map(|value| mentions(value, object)).sum(),
        _ => 0,
    }
}

fn reach(value: &Value, reached: &mut BTreeSet<ObjectId>, open: &mut Vec<ObjectId>) {
    match value {
        Value::Object(id) if reached.insert(id.clone()) => open.push(id.clone()),
        Value::Lambda(lambda) => {
            lambda.captured.iter().for_each(|value| reach(value, reached, open))
        }
        _ => {}
    }
}
