//! The function's constants: what it holds, and the static fields that it can read (docs/graph.md).

use serde_json::Value as Json;

use crate::value::{Boxed, Operand, Prim, Value};

/// The object graph of a function's constants.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    json: Json,
}

/// What a constant is.
pub(crate) enum Constant<'c> {
    /// An object with fields, of that class (with slashes).
    Fields(String, &'c Json),
    /// Any other object, of that class.
    Other(String),
    /// An array, of that class.
    Array(String, usize),
    /// What could not be written down.
    Opaque(String),
}

impl Constants {
    pub(crate) fn parse(text: &str) -> Option<Constants> {
        if text.is_empty() {
            return Some(Constants::default());
        }
        Some(Constants { json: serde_json::from_str(text).ok()? })
    }

    /// A root: `this`, or `pkg/Class.FIELD`.
    pub(crate) fn root(&self, name: &str) -> Option<Value> {
        value(self.json.get("roots")?.get(name)?)
    }

    pub(crate) fn object(&self, at: usize) -> Option<Constant<'_>> {
        let object = self.json.get("objects")?.get(at)?;
        let text = |name: &str| object.get(name).and_then(Json::as_str);
        if let Some(class) = text("array") {
            let len = object.get("values").and_then(Json::as_array).map_or(0, Vec::len);
            return Some(Constant::Array(class.replace('.', "/"), len));
        }
        let class = text("class").or(text("enum"))?.replace('.', "/");
        if object.get("opaque").is_some() {
            return Some(Constant::Opaque(class));
        }
        Some(match object.get("fields") {
            Some(fields) => Constant::Fields(class, fields),
            None => Constant::Other(class),
        })
    }

    /// The ordinal of an enum's constant.
    pub(crate) fn ordinal(&self, at: usize) -> Option<i32> {
        let object = self.json.get("objects")?.get(at)?;
        object.get("enum")?;
        i32::try_from(object.get("ordinal")?.as_i64()?).ok()
    }

    /// The name of an enum's constant.
    pub(crate) fn name(&self, at: usize) -> Option<&str> {
        let object = self.json.get("objects")?.get(at)?;
        object.get("enum")?;
        object.get("name")?.as_str()
    }

    /// The constant of an enum (with slashes) of that name.
    pub(crate) fn symbol(&self, class: &str, name: &str) -> Option<usize> {
        let class = class.replace('/', ".");
        let objects = self.json.get("objects")?.as_array()?;
        objects.iter().position(|object| {
            let is =
                |key: &str, wanted: &str| object.get(key).and_then(Json::as_str) == Some(wanted);
            is("enum", &class) && is("name", name)
        })
    }

    /// An element of an array.
    pub(crate) fn element(&self, at: usize, index: i32) -> Option<Value> {
        let object = self.json.get("objects")?.get(at)?;
        object.get("array")?;
        value(object.get("values")?.get(usize::try_from(index).ok()?)?)
    }

    /// A field `pkg/Class.name` of an object.
    pub(crate) fn field(&self, at: usize, name: &str) -> Option<Value> {
        match self.object(at)? {
            Constant::Fields(_, fields) => value(fields.get(name)?),
            _ => None,
        }
    }

    /// The class of an object, with slashes.
    pub(crate) fn class(&self, at: usize) -> Option<String> {
        Some(match self.object(at)? {
            Constant::Fields(class, _)
            | Constant::Other(class)
            | Constant::Array(class, _)
            | Constant::Opaque(class) => class,
        })
    }
}

/// A value as the capture writes it.
pub(crate) fn value(json: &Json) -> Option<Value> {
    match json {
        Json::Null => return Some(Value::Null),
        Json::Bool(truth) => return Some(Value::bool(*truth)),
        _ => {}
    }
    let (kind, inner) = json.as_object()?.iter().next()?;
    let int = || Some(Operand::Int(i32::try_from(inner.as_i64()?).ok()?));
    let operand = match kind.as_str() {
        "ref" => return Some(Value::Constant(usize::try_from(inner.as_u64()?).ok()?)),
        "s" => return Some(Value::text(inner.as_str()?)),
        "box" => return boxed(inner),
        "i" | "b" | "h" | "c" => int()?,
        "l" => Operand::Long(inner.as_str()?.parse().ok()?),
        "f" => Operand::Float(inner.as_str()?.parse::<f32>().ok()?.to_bits()),
        "d" => Operand::Double(inner.as_str()?.parse::<f64>().ok()?.to_bits()),
        _ => return None,
    };
    let prim = match operand {
        Operand::Long(_) => Prim::Long,
        Operand::Float(_) => Prim::Float,
        Operand::Double(_) => Prim::Double,
        _ => Prim::Int,
    };
    Some(Value::Scalar(prim, operand))
}

fn boxed(json: &Json) -> Option<Value> {
    let kind = match json {
        Json::Bool(_) => Boxed::Boolean,
        other => match other.as_object()?.keys().next()?.as_str() {
            "i" => Boxed::Integer,
            "l" => Boxed::Long,
            "f" => Boxed::Float,
            "d" => Boxed::Double,
            "b" => Boxed::Byte,
            "h" => Boxed::Short,
            "c" => Boxed::Character,
            _ => return None,
        },
    };
    match value(json)? {
        Value::Scalar(_, operand) => Some(Value::Boxed(kind, operand)),
        _ => None,
    }
}
