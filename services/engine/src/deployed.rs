//! Chains of deployed inputs.

use sluice_model::{Engine, Input};
use sluice_wire::{Type, TypeError};
use thiserror::Error;

use crate::{Assigner, Chain, CompileError, Operator};

/// Why this build can't run the operators of a deployed input; for people.
#[derive(Debug, Error)]
pub enum DeployedError {
    /// A type that is no event type.
    #[error("input {input}, type T({index}): {error}")]
    Type {
        /// The input.
        input: String,
        /// Which type.
        index: usize,
        /// What is wrong with it.
        error: TypeError,
    },
    /// An operator that the native engine does not run.
    #[error("operator {0} needs the jvm engine, which this build does not have")]
    Jvm(String),
    /// A range that the input does not have.
    #[error("operators {from}..{to} are not within those of input {input}")]
    Range {
        /// The input.
        input: String,
        /// Operators applied before.
        from: i32,
        /// Operators applied afterwards.
        to: i32,
    },
    /// Functions that can't be compiled.
    #[error("the operators of input {input} can't be compiled:{}", lines(.errors))]
    Compile {
        /// The input.
        input: String,
        /// Every problem found.
        errors: Vec<CompileError>,
    },
}

fn lines(errors: &[CompileError]) -> String {
    errors.iter().map(|error| format!("\n  {error}")).collect()
}

/// The types T(0)..T(N) of an input.
///
/// # Errors
/// [`DeployedError::Type`] for the first that is none.
pub fn types(input: &Input) -> Result<Vec<Type>, DeployedError> {
    let parse = |(index, text): (usize, &String)| {
        let of = |error| DeployedError::Type { input: input.name.to_string(), index, error };
        text.parse::<Type>().map_err(of)
    };
    input.types.iter().enumerate().map(parse).collect()
}

/// The chain of the operators `from + 1..=to` of an input, whose types are `types`.
///
/// # Errors
/// A [`DeployedError`] that names what can't be run.
pub fn chain(input: &Input, types: &[Type], from: i32, to: i32) -> Result<Chain, DeployedError> {
    let name = || input.name.to_string();
    let range = || DeployedError::Range { input: name(), from, to };
    let index = |place: i32| usize::try_from(place).map_err(|_| range());
    let (first, end) = (index(from)?, index(to)?);
    let mine = input.operators.get(first..end).ok_or_else(range)?;
    if let Some(jvm) = mine.iter().find(|operator| operator.engine == Engine::Jvm) {
        return Err(DeployedError::Jvm(jvm.name.clone()));
    }
    let operators: Vec<Operator<'_>> =
        input.operators.iter().map(|o| Operator { name: &o.name, ir: &o.ir }).collect();
    let assigner = match &input.assigner {
        None => None,
        Some(a) => Some(Assigner { after: index(a.after)?, bound_ms: a.bound_ms, ir: &a.ir }),
    };
    Chain::compile(types, &operators, assigner.as_ref(), first, end)
        .map_err(|errors| DeployedError::Compile { input: name(), errors })
}
