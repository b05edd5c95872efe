//! Java's objects: those that functions make while an event is in work, and the constants of functions, which are frozen.
//!
//! A reference is a slot. Text is its own reference, null and the small boxes are values, and everything else is the number of an
//! [`Object`] of one of the two heaps.
mod classes;
mod constants;
mod map;
mod object;
mod reference;
mod render;
pub(crate) mod steps;

pub(crate) use classes::{CHARS, ClassId, Classes, Field, OBJECTS, STRINGS};
pub(crate) use constants::freeze;
pub(crate) use map::{Map, MapKind};
pub(crate) use object::{Builder, Element, Items, Iterator, ListKind, Object, Thing, View};
pub(crate) use reference::{
    NULL, Reference, boolean, byte, character, float, frozen, heap, int, short,
};
pub(crate) use render::{compare_doubles, compare_floats};

use crate::memory::Memory;
use crate::reason::Reason;

/// Vectors beyond this many bytes are given back rather than kept for the next event.
const KEEP_BYTES: usize = 1 << 16;
/// The most vectors kept.
const KEEP_VECTORS: usize = 64;

/// Objects, with the memory of those before them to use again.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    objects: Vec<Object>,
    /// The fields and elements of objects of a fixed size.
    pub(crate) slots: Vec<u64>,
    lists: Vec<Vec<u64>>,
    texts: Vec<Vec<u8>>,
}

impl Heap {
    /// Forgets all objects.
    pub(crate) fn clear(&mut self) {
        if self.objects.is_empty() && self.slots.is_empty() {
            return;
        }
        for object in self.objects.drain(..) {
            match object {
                Object::List(_, items)
                    if self.lists.len() < KEEP_VECTORS && items.capacity() <= KEEP_BYTES / 8 =>
                {
                    let mut items = Vec::from(items);
                    items.clear();
                    self.lists.push(items);
                }
                Object::Builder(builder) if self.texts.len() < KEEP_VECTORS => {
                    let mut bytes = builder.into_bytes();
                    if bytes.capacity() > 0 && bytes.capacity() <= KEEP_BYTES {
                        bytes.clear();
                        self.texts.push(bytes);
                    }
                }
                _ => {}
            }
        }
        self.objects.shrink_to(KEEP_BYTES / 8);
        self.slots.clear();
        self.slots.shrink_to(KEEP_BYTES / 8);
    }

    /// Adds an object; its number.
    pub(crate) fn add(&mut self, object: Object) -> usize {
        self.objects.push(object);
        self.objects.len() - 1
    }

    /// Puts an object in the place of another.
    pub(crate) fn replace(&mut self, number: usize, object: Object) {
        self.objects[number] = object;
    }

    /// An object.
    pub(crate) fn object(&self, number: usize) -> &Object {
        &self.objects[number]
    }

    /// An empty vector for the items of a list.
    pub(crate) fn list(&mut self) -> Vec<u64> {
        self.lists.pop().unwrap_or_default()
    }

    /// An empty vector for the bytes of a text.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        self.texts.pop().unwrap_or_default()
    }
}

/// What the functions of a chain share: their classes, and the objects and texts of their constants.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) heap: Heap,
    pub(crate) classes: Classes,
    pub(crate) texts: Vec<u8>,
}

impl Memory<'_> {
    /// A new object.
    #[inline]
    pub(crate) fn add(&mut self, object: Object) -> Result<u64, Reason> {
        self.charge(1)?;
        Ok(heap(self.heap.add(object)))
    }

    /// Refuses so many more elements if they exceed the budget.
    #[inline]
    pub(crate) fn charge(&mut self, elements: usize) -> Result<(), Reason> {
        self.charged = self.charged.saturating_add(elements);
        match self.charged <= self.budget.elements {
            true => Ok(()),
            false => Err(Reason::Memory),
        }
    }

    /// The object behind a reference; text and small boxes have none. Null is an exception.
    #[inline]
    pub(crate) fn object(&self, slot: u64) -> Result<Option<&Object>, Reason> {
        match Reference::of(slot) {
            Reference::Heap(number) => Ok(Some(self.heap.object(number))),
            Reference::Frozen(number) => Ok(Some(self.frozen.object(number))),
            Reference::Null => Err(Reason::Null),
            _ => Ok(None),
        }
    }

    /// The object behind a reference, to be changed; a constant refuses that.
    #[inline]
    pub(crate) fn object_mut(&mut self, slot: u64) -> Result<Option<&mut Object>, Reason> {
        match Reference::of(slot) {
            Reference::Heap(number) => Ok(Some(&mut self.heap.objects[number])),
            Reference::Frozen(_) => Err(Reason::Constant),
            Reference::Null => Err(Reason::Null),
            _ => Ok(None),
        }
    }

    /// The slots of objects of the heap that a reference points into.
    #[inline]
    pub(crate) fn slots_of(&self, slot: u64) -> &[u64] {
        match Reference::of(slot) {
            Reference::Frozen(_) => &self.frozen.slots,
            _ => &self.heap.slots,
        }
    }

    /// New slots of the heap, each with these bits; the number of the first.
    pub(crate) fn new_slots(&mut self, count: usize, bits: u64) -> Result<usize, Reason> {
        self.charge(count)?;
        self.work(count * 8);
        let start = self.heap.slots.len();
        self.heap.slots.resize(start + count, bits);
        Ok(start)
    }

    /// A new `ArrayList`, or another kind of list, of these items.
    pub(crate) fn new_list(&mut self, kind: ListKind, items: &[u64]) -> Result<u64, Reason> {
        self.charge(items.len())?;
        let mut list = self.heap.list();
        list.extend_from_slice(items);
        self.add(Object::List(kind, list.into()))
    }
}
