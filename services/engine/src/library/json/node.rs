//! Nodes of trees.
use super::super::strings::int;
use crate::heap::{Iterator, NULL, Object, Reference, Thing};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::floating;
use sluice_java::json::{Json, quote, quote_gson};
use std::sync::Arc;

pub(super) type Answer = Result<u64, Reason>;

/// Whose node it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    Jackson,
    /// Flink's own copy of Jackson.
    Shaded,
    Gson,
}

/// A node of a tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// None for Jackson's `MissingNode`.
    pub(super) json: Option<Arc<Json>>,
    pub(super) of: Library,
}

/// What has no state: a mapper, a parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reader(pub(super) &'static str);

impl Thing for Reader {
    fn class(&self) -> &'static str {
        self.0
    }
}

/// The class of a node with and without Flink's prefix.
macro_rules! class {
    ($of:expr, $name:literal) => {
        match $of {
            Library::Shaded => {
                concat!(
                    "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/databind/node/",
                    $name
                )
            }
            _ => concat!("com/fasterxml/jackson/databind/node/", $name),
        }
    };
}

impl Thing for Node {
    fn class(&self) -> &'static str {
        let Some(json) = &self.json else { return class!(self.of, "MissingNode") };
        if self.of == Library::Gson {
            return match **json {
                Json::Null => "com/google/gson/JsonNull",
                Json::Array(_) => "com/google/gson/JsonArray",
                Json::Object(_) => "com/google/gson/JsonObject",
                _ => "com/google/gson/JsonPrimitive",
            };
        }
        match **json {
            Json::Null => class!(self.of, "NullNode"),
            Json::Bool(_) => class!(self.of, "BooleanNode"),
            Json::Int(_) => class!(self.of, "IntNode"),
            Json::Long(_) => class!(self.of, "LongNode"),
            Json::Big(_) | Json::Lazy(_) => class!(self.of, "BigIntegerNode"),
            Json::Double(_) => class!(self.of, "DoubleNode"),
            Json::Text(_) => class!(self.of, "TextNode"),
            Json::Array(_) => class!(self.of, "ArrayNode"),
            Json::Object(_) => class!(self.of, "ObjectNode"),
        }
    }

    fn above(&self) -> &'static [&'static str] {
        match self.of {
            Library::Gson => &["com/google/gson/JsonElement"],
            Library::Jackson => &["com/fasterxml/jackson/databind/JsonNode", "java/lang/Iterable"],
            Library::Shaded => &[
                "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/databind/JsonNode",
                "java/lang/Iterable",
            ],
        }
    }

    /// Numbers of different types are another question.
    fn equals(&self, other: &dyn Thing) -> Option<bool> {
        let other = other.of::<Node>()?;
        match (self.json.as_deref(), other.json.as_deref()) {
            (Some(Json::Text(a)), Some(Json::Text(b))) => Some(a == b),
            (Some(Json::Null), Some(Json::Null)) => Some(true),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        let Some(json) = &self.json else { return Some(String::new()) };
        Some(match self.of {
            Library::Gson => json.to_gson(),
            Library::Jackson | Library::Shaded => json.to_jackson(),
        })
    }
}

/// A node of a tree of the same library.
pub(super) fn new_node(memory: &mut Memory<'_>, json: Option<Arc<Json>>, of: Library) -> Answer {
    memory.new_thing(Node { json, of })
}

/// A value of a tree, or null.
pub(super) fn node_or_null(
    memory: &mut Memory<'_>,
    json: Option<Arc<Json>>,
    of: Library,
) -> Answer {
    match json {
        Some(json) => new_node(memory, Some(json), of),
        None => Ok(NULL),
    }
}

/// The node behind a reference.
pub(super) fn node(memory: &Memory<'_>, slot: u64) -> Result<Node, Reason> {
    memory.thing::<Node>(slot).cloned()
}

/// The value of a node that is not missing.
pub(super) fn json(memory: &Memory<'_>, slot: u64) -> Result<Option<Arc<Json>>, Reason> {
    Ok(memory.thing::<Node>(slot)?.json.clone())
}

/// The members of an object that nobody else has, to be changed. Whoever else has it would see the change, too.
pub(super) fn put(
    memory: &mut Memory<'_>,
    slot: u64,
    name: u64,
    value: Json,
) -> Result<(), Reason> {
    put_shared(memory, slot, name, Arc::new(value))
}

/// The same with a value that others may have.
pub(super) fn put_shared(
    memory: &mut Memory<'_>,
    slot: u64,
    name: u64,
    value: Arc<Json>,
) -> Result<(), Reason> {
    let name = memory.text(name).to_owned();
    let of = memory.thing_mut::<Node>(slot)?;
    let members = of.json.as_mut().and_then(Arc::get_mut);
    match members {
        Some(Json::Object(members)) => {
            match members.iter_mut().find(|(known, _)| **known == *name) {
                Some((_, old)) => *old = value,
                None => members.push((name.into(), value)),
            }
            Ok(())
        }
        _ => Err(Reason::Uncertain("a change of a tree that is a part of another")),
    }
}

/// Whether a value written as JSON is quoted as Gson does.
pub(super) fn write(
    memory: &Memory<'_>,
    slot: u64,
    gson: bool,
    out: &mut String,
) -> Result<(), Reason> {
    let quoted = |text: &str, out: &mut String| match gson {
        true => quote_gson(text, true, out),
        false => quote(text, out),
    };
    match Reference::of(slot) {
        Reference::Null => out.push_str("null"),
        Reference::Text => quoted(memory.text(slot), out),
        Reference::Int(_) | Reference::Short(_) | Reference::Byte(_) | Reference::Bool(_) => {
            memory.render(slot, out)?;
        }
        Reference::Char(unit) => match char::from_u32(u32::from(unit)) {
            Some(c) => quoted(c.encode_utf8(&mut [0; 4]), out),
            None => return Err(Reason::Surrogate),
        },
        Reference::Float(bits) => {
            let value = f32::from_bits(bits);
            number(&floating::float_to_string(value), value.is_finite(), gson, out)?;
        }
        Reference::Heap(_) | Reference::Frozen(_) => match memory.object(slot)? {
            Some(Object::Long(value)) => out.push_str(&value.to_string()),
            Some(Object::Double(bits)) => {
                let value = f64::from_bits(*bits);
                number(&floating::double_to_string(value), value.is_finite(), gson, out)?;
            }
            Some(Object::Thing(thing)) => match thing.of::<Node>() {
                Some(Node { json: Some(json), .. }) if gson => out.push_str(&json.to_gson()),
                Some(Node { json: Some(json), .. }) => out.push_str(&json.to_jackson()),
                _ => return Err(Reason::Uncertain("this object as JSON")),
            },
            _ => return Err(Reason::Uncertain("this object as JSON")),
        },
    }
    match out.len() <= memory.budget.bytes {
        true => Ok(()),
        false => Err(Reason::Memory),
    }
}

/// A number; Jackson puts those that JSON has not between quotes, Gson refuses them.
fn number(text: &str, finite: bool, gson: bool, out: &mut String) -> Result<(), Reason> {
    match (finite, gson) {
        (true, _) => out.push_str(text),
        (false, false) => quote(text, out),
        (false, true) => return Err(Reason::exception("java/lang/IllegalArgumentException", None)),
    }
    Ok(())
}

/// An iterator over the items of an array, or the values of an object; whatever else has none.
pub(super) fn iterator(memory: &mut Memory<'_>, args: &[u64]) -> Answer {
    let Node { json, of } = node(memory, args[0])?;
    let values: Vec<Arc<Json>> = match json.as_deref() {
        Some(Json::Array(items)) => items.clone(),
        Some(Json::Object(members)) => members.iter().map(|(_, value)| value.clone()).collect(),
        _ => Vec::new(),
    };
    let mut items = Vec::with_capacity(values.len());
    for value in values {
        items.push(new_node(memory, Some(value), of)?);
    }
    let iterator = Iterator { of: args[0], items, next: 0, changes: 0, removable: false };
    memory.add(Object::Iterator(iterator))
}

/// A truth as a slot.
pub(super) fn truth(value: bool) -> Answer {
    Ok(u64::from(value))
}

/// An int as a slot.
pub(super) fn whole(value: i32) -> Answer {
    Ok(int(value))
}
