//! Functions and watermark strategies of the user.

use serde::Deserialize;
use serde_json::Value;

/// A function of the user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct UserFunction {
    /// The class of the object, with dots.
    pub class: String,
    /// How it was written.
    pub form: Form,
    /// Whether it is a `RichFunction`.
    #[serde(default)]
    pub rich: bool,
    /// Its functional interfaces.
    #[serde(default)]
    pub interfaces: Vec<String>,
    /// The method behind a lambda or a method reference.
    #[serde(default)]
    pub implementation: Option<Implementation>,
    /// What the object holds.
    #[serde(default)]
    pub captured: Vec<Captured>,
    /// The places that a projection keeps.
    #[serde(default)]
    pub fields: Option<Vec<i32>>,
    /// The entry of the capture with the object.
    #[serde(default)]
    pub serialized: Option<String>,
    /// Why it can't be serialized.
    #[serde(default)]
    pub problem: Option<String>,
    /// The entry of the capture with its constants: what it holds and the static fields it can read (docs/graph.md); empty where there are none.
    #[serde(skip)]
    pub constants: String,
}

/// How a function was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// As a class, perhaps an anonymous one.
    Class,
    /// As a lambda.
    Lambda,
    /// As a reference to a method or constructor.
    MethodReference,
}

/// The method behind a lambda or a method reference.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Implementation {
    /// The internal name of its class.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// `static`, `virtual`, `interface`, `special` or `new`.
    pub kind: String,
}

/// A value that a function holds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Captured {
    /// The field.
    pub name: String,
    /// Its descriptor.
    #[serde(rename = "type")]
    pub descriptor: String,
    /// Whether it is at its default wherever the function runs.
    #[serde(default)]
    pub transient: bool,
    /// Its value, where that is known.
    #[serde(default)]
    pub value: Option<Value>,
    /// Whether it is.
    #[serde(default)]
    pub known: bool,
}

/// A watermark strategy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Watermarks {
    /// What makes the watermarks.
    pub strategy: WatermarksKind,
    /// The bound of the out-of-orderness, milliseconds.
    #[serde(default)]
    pub bound_ms: Option<i64>,
    /// `withIdleness`, milliseconds.
    #[serde(default)]
    pub idle_ms: Option<i64>,
    /// `withWatermarkAlignment`.
    #[serde(default)]
    pub aligned: bool,
    /// What makes the time stamps.
    #[serde(default)]
    pub timestamps: Option<Timestamps>,
    /// The entry of the capture with the strategy.
    #[serde(default)]
    pub serialized: Option<String>,
    /// Why it can't be serialized.
    #[serde(default)]
    pub problem: Option<String>,
}

/// What makes the watermarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatermarksKind {
    /// Bounded out-of-orderness.
    Bounded,
    /// Ascending time stamps.
    Monotonous,
    /// A generator of the user.
    Custom,
}

/// What makes the time stamps of a strategy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Timestamps {
    /// A word: `record`, the record's own time.
    Word(String),
    /// A `TimestampAssigner`.
    Function(Box<UserFunction>),
}

impl Watermarks {
    /// The function that makes the time stamps; none where the record's own time is kept.
    #[must_use]
    pub fn timestamp_function(&self) -> Option<&UserFunction> {
        match &self.timestamps {
            Some(Timestamps::Function(function)) => Some(function),
            Some(Timestamps::Word(_)) | None => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn timestamp_function_mut(&mut self) -> Option<&mut UserFunction> {
        match &mut self.timestamps {
            Some(Timestamps::Function(function)) => Some(&mut **function),
            Some(Timestamps::Word(_)) | None => None,
        }
    }
}
