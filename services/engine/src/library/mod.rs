//! The methods of Java's library that functions may call, named as class files name them: owner, name and descriptor.
//!
//! One file for a family, with its table of methods. A method takes slots, the receiver first, and gives a slot; what it takes and gives
//! is its [`Signature`]. What Java does not define, or defines otherwise from version to version, is not here or ends in
//! [`Reason::Uncertain`](crate::Reason::Uncertain).
mod arrays;
mod boxes;
mod builders;
mod characters;
mod collections;
mod dates;
mod deques;
mod format;
mod iterators;
mod json;
mod lists;
mod locale;
mod maps;
mod maths;
mod objects;
mod regex;
mod strings;
mod things;
mod time;

pub(crate) use strings::{char_at, char_text, text_of};

use crate::builtin::Run;
use crate::heap::Thing;
use crate::ty::Ty;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The type of an argument or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LibTy {
    /// A truth.
    Bool,
    /// Java's int, char, short and byte.
    Int,
    /// Java's long.
    Long,
    /// Java's float.
    Float,
    /// Java's double.
    Double,
    /// Text that is not null.
    String,
    /// Any reference.
    Ref,
}

impl LibTy {
    /// The type of a register.
    pub(crate) fn ty(self) -> Ty {
        match self {
            LibTy::Bool => Ty::Bool,
            LibTy::Int => Ty::Int,
            LibTy::Long => Ty::Long,
            LibTy::Float => Ty::Float,
            LibTy::Double => Ty::Double,
            LibTy::String => Ty::String,
            LibTy::Ref => Ty::Ref,
        }
    }
}

/// What a method takes, the receiver first, and gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What it takes.
    pub params: Vec<LibTy>,
    /// What it gives; none for a void method.
    pub result: Option<LibTy>,
    /// Whether it can throw.
    pub throws: bool,
    /// Whether it changes nothing.
    pub pure: bool,
}

/// A method of the library.
pub(crate) struct Method {
    /// `java/lang/String.indexOf(II)I`.
    pub(crate) name: &'static str,
    pub(crate) params: &'static [LibTy],
    pub(crate) result: Option<LibTy>,
    /// Whether it may throw an exception.
    pub(crate) throws: bool,
    /// Whether it changes nothing that anyone else can see.
    pub(crate) pure: bool,
    pub(crate) run: Run,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A method that changes nothing and throws nothing.
pub(crate) const fn pure(
    name: &'static str,
    params: &'static [LibTy],
    result: LibTy,
    run: Run,
) -> Method {
    Method { name, params, result: Some(result), throws: false, pure: true, run }
}

/// A method that changes nothing and may throw.
pub(crate) const fn throwing(
    name: &'static str,
    params: &'static [LibTy],
    result: LibTy,
    run: Run,
) -> Method {
    Method { name, params, result: Some(result), throws: true, pure: true, run }
}

/// A method that changes an object, and may throw.
pub(crate) const fn changing(
    name: &'static str,
    params: &'static [LibTy],
    result: Option<LibTy>,
    run: Run,
) -> Method {
    Method { name, params, result, throws: true, pure: false, run }
}

/// The tables of the families.
static FAMILIES: &[&[Method]] = &[
    characters::METHODS,
    characters::TESTS.as_flattened(),
    dates::METHODS,
    format::METHODS,
    json::CLASSES,
    json::GSON,
    json::GSON_OF_EACH.as_flattened(),
    json::JACKSON,
    json::SHADED_JACKSON,
    locale::METHODS,
    regex::METHODS,
    strings::METHODS,
    time::FORMATS,
    time::LENGTHS,
    time::ORDERS.as_flattened(),
    time::PARSES.as_flattened(),
    time::POINTS,
    time::SHIFTS.as_flattened(),
    time::ZONES,
    arrays::METHODS,
    arrays::OF_TYPES,
    boxes::METHODS,
    boxes::OF_OBJECT,
    builders::METHODS,
    collections::METHODS,
    deques::METHODS,
    iterators::METHODS,
    lists::METHODS,
    maps::METHODS,
    maps::NEW,
    maths::METHODS,
    objects::METHODS,
];

static METHODS: LazyLock<HashMap<&'static str, &'static Method>> = LazyLock::new(|| {
    FAMILIES.iter().flat_map(|family| family.iter()).map(|method| (method.name, method)).collect()
});

/// The method of a whole name, as `java/lang/String.length()I`.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.get(name).copied()
}

/// What a method takes and gives; none if the engine does not have it. A constructor is `<init>` and gives the new object; a static field is
/// a method without parameters, its type the descriptor.
#[must_use]
pub fn signature(owner: &str, name: &str, descriptor: &str) -> Option<Signature> {
    let method = find(&format!("{owner}.{name}{descriptor}"))?;
    let Method { params, result, throws, pure, .. } = method;
    Some(Signature { params: params.to_vec(), result: *result, throws: *throws, pure: *pure })
}

/// The names of all methods, sorted.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = METHODS.keys().copied().collect();
    names.sort_unstable();
    names
}

/// The object of a family of its own that a constant is; none if no family knows its class.
pub(crate) fn thing(class: &str, json: &Json) -> Option<Box<dyn Thing>> {
    things::constant(class, json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_agree_with_their_descriptors() {
        let count: usize = FAMILIES.iter().map(|family| family.len()).sum();
        assert_eq!(METHODS.len(), count);
        for method in METHODS.values() {
            let Some((_, descriptor)) = method.name.split_once('(') else { continue };
            let (params, result) = descriptor.split_once(')').expect("a descriptor");
            let mut count = 0;
            let mut rest = params;
            while let Some(first) = rest.chars().next() {
                rest = rest.trim_start_matches('[');
                rest = match rest.strip_prefix('L') {
                    Some(class) => class.split_once(';').expect("a class").1,
                    None => &rest[1..],
                };
                let _ = first;
                count += 1;
            }
            let receivers = method.params.len() - count;
            assert!(receivers <= 1, "{}", method.name);
            let expected = match result {
                "V" if method.name.contains("<init>") => Some(LibTy::Ref),
                "V" => None,
                "Z" => Some(LibTy::Bool),
                "B" | "S" | "C" | "I" => Some(LibTy::Int),
                "J" => Some(LibTy::Long),
                "F" => Some(LibTy::Float),
                "D" => Some(LibTy::Double),
                "Ljava/lang/String;" | "Ljava/lang/CharSequence;" => method.result,
                _ => Some(LibTy::Ref),
            };
            assert_eq!(method.result, expected, "{}", method.name);
        }
    }
}
