//! Objects that only their families know.
use super::{dates, json, locale, regex, time};
use crate::heap::{Object, Thing};
use crate::memory::Memory;
use crate::reason::Reason;
use serde_json::Value as Json;

impl Memory<'_> {
    /// The thing behind a reference. Null is an exception, anything else of another class, too.
    pub(super) fn thing<T: Thing>(&self, slot: u64) -> Result<&T, Reason> {
        let found = match self.object(slot)? {
            Some(Object::Thing(thing)) => thing.of(),
            Some(Object::Opaque(_)) => return Err(Reason::Constant),
            _ => None,
        };
        found.ok_or_else(wrong_class)
    }

    /// The thing behind a reference, to be changed.
    pub(super) fn thing_mut<T: Thing>(&mut self, slot: u64) -> Result<&mut T, Reason> {
        let found = match self.object_mut(slot)? {
            Some(Object::Thing(thing)) => thing.of_mut(),
            _ => None,
        };
        found.ok_or_else(wrong_class)
    }

    /// A new thing.
    pub(super) fn new_thing(&mut self, thing: impl Thing) -> Result<u64, Reason> {
        self.add(Object::Thing(Box::new(thing)))
    }
}

fn wrong_class() -> Reason {
    Reason::exception("java/lang/ClassCastException", None)
}

/// The thing that a constant is; none if no family knows its class, or what it is made of is not certain.
pub(super) fn constant(class: &str, object: &Json) -> Option<Box<dyn Thing>> {
    let text = object.get("text").and_then(Json::as_str)?;
    match class {
        "java/util/regex/Pattern" => {
            regex::constant(text, object.get("flags").and_then(Json::as_i64)? as i32)
        }
        "java/util/Locale" => Some(Box::new(locale::Locale::of(text))),
        "java/text/SimpleDateFormat" => dates::constant(class, object),
        _ => time::constant(class, object).or_else(|| json::constant(class, text)),
    }
}
