//! JSON as Jackson and Gson read and write it, with default settings.
mod gson;
mod jackson;
mod node;
mod number;
mod scan;
mod write;

pub use gson::{parse as parse_gson, primitive};
pub use jackson::{Content, parse as parse_jackson};
pub use write::{quote, quote_gson};

use std::sync::Arc;

/// A value of a JSON text.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits an int.
    Int(i32),
    /// Any other that fits a long.
    Long(i64),
    /// Any other, as it is written.
    Big(String),
    /// A number with a point or an exponent.
    Double(f64),
    /// A number as Gson keeps it: as it is written.
    Lazy(String),
    /// A text.
    Text(Arc<str>),
    /// Values in a row.
    Array(Vec<Arc<Json>>),
    /// Values by name, in the order in which the names came first; of two of a name the last one.
    Object(Vec<(Arc<str>, Arc<Json>)>),
}

impl Json {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Json>> {
        match self {
            Json::Object(members) => {
                members.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The value at an index.
    pub fn at(&self, index: i32) -> Option<&Arc<Json>> {
        match self {
            Json::Array(items) => items.get(usize::try_from(index).ok()?),
            _ => None,
        }
    }

    /// How many values it has.
    pub fn size(&self) -> i32 {
        match self {
            Json::Array(items) => items.len() as i32,
            Json::Object(members) => members.len() as i32,
            _ => 0,
        }
    }
}

/// Puts a member behind the others, or in the place of the one of its name.
fn put(members: &mut Vec<(Arc<str>, Arc<Json>)>, name: Arc<str>, value: Arc<Json>) {
    match members.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = value,
        None => members.push((name, value)),
    }
}

/// The deepest nesting that is read.
const DEPTH: usize = 200;

/// The longest number that is read; Jackson refuses longer ones than 1,000 characters from its version 2.15 on.
const NUMBER_LENGTH: usize = 1_000;
