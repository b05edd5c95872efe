//! From the JSON of an Avro schema to a [`Type`] (Avro specification, "Schema Declaration" and "Names").

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::types::{EnumType, Field, FixedType, NullableType, RecordType, Type};

/// How deep types may nest: a bound for the recursion of whatever walks a type.
pub const MAX_DEPTH: usize = 64;

/// A schema that is no [`Type`], with the place in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{refusal}", place(.at))]
pub struct TypeError {
    /// The fields from the outermost record to the place, joined by dots; empty at the top.
    pub at: String,
    /// What is wrong there.
    pub refusal: TypeRefusal,
}

/// Why a schema is no [`Type`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TypeRefusal {
    /// Not JSON at all.
    #[error("not JSON: {0}")]
    Json(String),
    /// A JSON value that stands for no schema.
    #[error("{0} is no Avro schema")]
    Form(String),
    /// An attribute is missing or has the wrong form.
    #[error("`{0}` is missing or malformed")]
    Attribute(&'static str),
    /// A union other than null and one more type.
    #[error("a union of {0} is not supported: only null and one other type")]
    Union(String),
    /// Null outside of a union.
    #[error("null is only supported in a union with another type")]
    Null,
    /// A type without content, whose values would take no bytes.
    #[error("`{0}` is empty: values without content are not supported")]
    Empty(String),
    /// A name that stands for no type so far.
    #[error("`{0}` is not defined before its use")]
    Unknown(String),
    /// A name defined a second time.
    #[error("`{0}` is defined twice")]
    Twice(String),
    /// A type that contains itself.
    #[error("`{0}` contains itself: recursive types are not supported")]
    Recursive(String),
    /// A type of events that includes null.
    #[error(
        "events of a nullable type: give the type without null, a frame's events may be null anyway"
    )]
    NullableEvents,
    /// Nested too deep.
    #[error("nested deeper than {MAX_DEPTH} types")]
    Deep,
}

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!("at `{at}`: ") }
}

impl FromStr for Type {
    type Err = TypeError;

    /// Parses the JSON of an Avro schema.
    fn from_str(json: &str) -> Result<Self, TypeError> {
        Self::from_json(&serde_json::from_str(json).map_err(TypeError::json)?)
    }
}

impl TypeError {
    pub(crate) fn json(error: serde_json::Error) -> Self {
        Self { at: String::new(), refusal: TypeRefusal::Json(error.to_string()) }
    }
}

impl Type {
    /// Takes an Avro schema as parsed JSON.
    ///
    /// # Errors
    /// A [`TypeError`] for whatever is outside of the supported part of Avro, with the reason.
    pub fn from_json(schema: &Value) -> Result<Self, TypeError> {
        let mut parser = Parser::default();
        match parser.schema(schema, "") {
            Ok((ty, _)) => Ok(ty),
            Err(refusal) => Err(TypeError { at: parser.path.join("."), refusal }),
        }
    }
}

/// A type and how deep it nests.
type Sized = (Type, usize);

#[derive(Default)]
struct Parser {
    /// Named types by full name; `None` while their definition is being read.
    named: HashMap<String, Option<Sized>>,
    /// The fields on the way to here; after a refusal, the place of it.
    path: Vec<String>,
}

impl Parser {
    fn schema(&mut self, schema: &Value, namespace: &str) -> Result<Sized, TypeRefusal> {
        let (ty, depth) = match schema {
            Value::String(name) => self.name(name, namespace)?,
            Value::Array(branches) => self.union(branches, namespace)?,
            Value::Object(attributes) => self.object(attributes, namespace)?,
            other => return Err(TypeRefusal::Form(other.to_string())),
        };
        if depth > MAX_DEPTH { Err(TypeRefusal::Deep) } else { Ok((ty, depth)) }
    }

    fn name(&self, name: &str, namespace: &str) -> Result<Sized, TypeRefusal> {
        let primitive = match name {
            "null" => return Err(TypeRefusal::Null),
            "boolean" => Type::Boolean,
            "int" => Type::Int,
            "long" => Type::Long,
            "float" => Type::Float,
            "double" => Type::Double,
            "bytes" => Type::Bytes,
            "string" => Type::String,
            _ => {
                let name = full_name(name, namespace);
                return match self.named.get(&name) {
                    Some(Some(known)) => Ok(known.clone()),
                    Some(None) => Err(TypeRefusal::Recursive(name)),
                    None => Err(TypeRefusal::Unknown(name)),
                };
            }
        };
        Ok((primitive, 1))
    }

    fn union(&mut self, branches: &[Value], namespace: &str) -> Result<Sized, TypeRefusal> {
        let (inner, null_first) = match branches {
            [first, inner] if is_null(first) && !is_null(inner) => (inner, true),
            [inner, second] if is_null(second) && !is_null(inner) => (inner, false),
            _ => return Err(TypeRefusal::Union(names_of(branches))),
        };
        if inner.is_array() {
            return Err(TypeRefusal::Union(names_of(branches)));
        }
        let (inner, depth) = self.schema(inner, namespace)?;
        Ok((Type::Nullable(Arc::new(NullableType { inner, null_first })), depth + 1))
    }

    fn object(
        &mut self,
        attributes: &Map<String, Value>,
        namespace: &str,
    ) -> Result<Sized, TypeRefusal> {
        let kind = attributes.get("type").ok_or(TypeRefusal::Attribute("type"))?;
        match kind.as_str() {
            Some("array") => {
                let items = attributes.get("items").ok_or(TypeRefusal::Attribute("items"))?;
                let (items, depth) = self.schema(items, namespace)?;
                Ok((Type::Array(Arc::new(items)), depth + 1))
            }
            Some("map") => {
                let values = attributes.get("values").ok_or(TypeRefusal::Attribute("values"))?;
                let (values, depth) = self.schema(values, namespace)?;
                Ok((Type::Map(Arc::new(values)), depth + 1))
            }
            Some(kind @ ("record" | "error" | "enum" | "fixed")) => {
                let name = defined_name(attributes, namespace)?;
                if self.named.insert(name.clone(), None).is_some() {
                    return Err(TypeRefusal::Twice(name));
                }
                let (ty, depth) = match kind {
                    "enum" => (enumeration(attributes, &name)?, 1),
                    "fixed" => (fixed(attributes, &name)?, 1),
                    _ => self.record(attributes, &name)?,
                };
                self.named.insert(name, Some((ty.clone(), depth)));
                Ok((ty, depth))
            }
            // A primitive with attributes, or a schema wrapped once more.
            _ => self.schema(kind, namespace),
        }
    }

    fn record(
        &mut self,
        attributes: &Map<String, Value>,
        name: &str,
    ) -> Result<Sized, TypeRefusal> {
        let malformed = || TypeRefusal::Attribute("fields");
        let namespace = name.rsplit_once('.').map_or("", |(namespace, _)| namespace);
        let mut fields: Vec<Field> = Vec::new();
        let mut depth = 0;
        for field in attributes.get("fields").and_then(Value::as_array).ok_or_else(malformed)? {
            let field_name = field.get("name").and_then(Value::as_str).ok_or_else(malformed)?;
            self.path.push(field_name.to_owned());
            if fields.iter().any(|field| field.name == field_name) {
                return Err(TypeRefusal::Twice(field_name.to_owned()));
            }
            let schema = field.get("type").ok_or(TypeRefusal::Attribute("type"))?;
            let (ty, field_depth) = self.schema(schema, namespace)?;
            self.path.pop();
            fields.push(Field { name: field_name.to_owned(), ty });
            depth = depth.max(field_depth);
        }
        if fields.is_empty() {
            return Err(TypeRefusal::Empty(name.to_owned()));
        }
        Ok((Type::Record(Arc::new(RecordType { name: name.to_owned(), fields })), depth + 1))
    }
}

fn enumeration(attributes: &Map<String, Value>, name: &str) -> Result<Type, TypeRefusal> {
    let symbols = attributes.get("symbols").and_then(Value::as_array);
    let symbols: Option<Vec<String>> =
        symbols.and_then(|symbols| symbols.iter().map(|s| s.as_str().map(str::to_owned)).collect());
    let symbols = symbols.ok_or(TypeRefusal::Attribute("symbols"))?;
    if symbols.is_empty() {
        return Err(TypeRefusal::Empty(name.to_owned()));
    }
    Ok(Type::Enum(Arc::new(EnumType { name: name.to_owned(), symbols })))
}

fn fixed(attributes: &Map<String, Value>, name: &str) -> Result<Type, TypeRefusal> {
    let size = attributes.get("size").and_then(Value::as_u64);
    let size = size.and_then(|size| usize::try_from(size).ok());
    match size.ok_or(TypeRefusal::Attribute("size"))? {
        0 => Err(TypeRefusal::Empty(name.to_owned())),
        size => Ok(Type::Fixed(Arc::new(FixedType { name: name.to_owned(), size }))),
    }
}

/// The full name that a definition gives its type.
fn defined_name(attributes: &Map<String, Value>, enclosing: &str) -> Result<String, TypeRefusal> {
    let text = |key| attributes.get(key).and_then(Value::as_str);
    let name =
        text("name").filter(|name| !name.is_empty()).ok_or(TypeRefusal::Attribute("name"))?;
    Ok(full_name(name, text("namespace").unwrap_or(enclosing)))
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}.{name}")
    }
}

fn is_null(schema: &Value) -> bool {
    schema == "null" || schema.get("type").is_some_and(|ty| ty == "null")
}

fn names_of(branches: &[Value]) -> String {
    let name = |branch: &Value| match branch {
        Value::String(name) => name.clone(),
        Value::Object(attributes) => {
            let name = attributes.get("name").or_else(|| attributes.get("type"));
            name.and_then(Value::as_str).unwrap_or("?").to_owned()
        }
        _ => "?".to_owned(),
    };
    format!("[{}]", branches.iter().map(name).collect::<Vec<_>>().join(", "))
}
