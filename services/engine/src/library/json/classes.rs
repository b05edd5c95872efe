//! Literals of classes, which the readers of JSON are given.
use super::super::LibTy::{Ref, String as Text};
use super::super::{Method, pure};
use crate::heap::Thing;

/// A literal of a class, by its name in class files.
#[derive(Debug, Clone)]
pub(super) struct Class(pub(super) String);

impl Thing for Class {
    fn class(&self) -> &'static str {
        "java/lang/Class"
    }

    fn equals(&self, other: &dyn Thing) -> Option<bool> {
        let other = other.of::<Class>();
        Some(other.is_some_and(|other| other.0 == self.0))
    }
}

pub(in super::super) static METHODS: &[Method] = &[
    // No method of Java's: the translator puts it in the place of a literal.
    pure("sluice/Class.of(Ljava/lang/String;)Ljava/lang/Class;", &[Text], Ref, |memory, args| {
        let class = Class(memory.text(args[0]).to_owned());
        memory.new_thing(class)
    }),
];
