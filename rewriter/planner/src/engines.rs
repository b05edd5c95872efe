//! Stage 6, engines: what executes each function, and why.

use sluice_model::{Engine, FunctionKind};
use sluice_wire::Type;

use crate::graph::UserFunction;

/// From a function of the user to the IR that Rust executes: the seam behind which bytecode is translated.
pub trait Translate {
    /// Translates an operator's function.
    ///
    /// # Errors
    /// A [`Refusal`] unless everything about the function is known for certain.
    fn operator(
        &self,
        kind: FunctionKind,
        function: &UserFunction,
        input: &Type,
        output: &Type,
    ) -> Result<String, Refusal>;

    /// Translates the time stamp function of a watermark assigner.
    ///
    /// # Errors
    /// A [`Refusal`], as above.
    fn timestamps(&self, function: &UserFunction, input: &Type) -> Result<String, Refusal>;
}

/// Why a function runs in a JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of reason it is, one word: a label of metrics.
    pub kind: &'static str,
    /// For people.
    pub text: String,
}

impl Refusal {
    /// A refusal of a kind.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Translates nothing: every function runs in a JVM.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTranslator;

impl NoTranslator {
    fn refusal() -> Refusal {
        Refusal::new("jvm", "as was asked for")
    }
}

impl Translate for NoTranslator {
    fn operator(
        &self,
        _: FunctionKind,
        _: &UserFunction,
        _: &Type,
        _: &Type,
    ) -> Result<String, Refusal> {
        Err(Self::refusal())
    }

    fn timestamps(&self, _: &UserFunction, _: &Type) -> Result<String, Refusal> {
        Err(Self::refusal())
    }
}

/// What executes a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The engine.
    pub engine: Engine,
    /// The function in the textual IR; empty for the jvm engine.
    pub ir: String,
    /// Why, for people.
    pub why: String,
    /// The kind of the refusal; empty for the native engine.
    pub refusal: &'static str,
}

impl Choice {
    pub(crate) fn of(translated: Result<String, Refusal>) -> Self {
        match translated {
            Ok(ir) => {
                Self { engine: Engine::Native, ir, why: "translated".to_owned(), refusal: "" }
            }
            Err(Refusal { kind: refusal, text: why }) => {
                Self { engine: Engine::Jvm, ir: String::new(), why, refusal }
            }
        }
    }

    /// The constants of the function, if its IR names any.
    pub(crate) fn constants(&self, function: Option<&UserFunction>) -> String {
        let named = self.ir.lines().any(|line| line.trim_start().starts_with("constant "));
        function.filter(|_| named).map(|function| function.constants.clone()).unwrap_or_default()
    }
}
