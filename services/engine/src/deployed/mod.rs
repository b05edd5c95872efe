//! Chains of deployed inputs: the right engine for each operator.

mod parts;

use std::path::PathBuf;

use sluice_model::{Engine, Input};
use sluice_wire::{Type, TypeError};
use thiserror::Error;

use crate::jvm::{JvmChain, Sidecar};
use crate::segments::Segments;
use crate::{Assigner, Chain, CompileError, EngineError, Operator};

use parts::{Part, Parts};

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
    #[error("{0} needs the jvm engine, which is not at hand here")]
    Jvm(String),
    /// What the jvm engine must know is not in the plan.
    #[error("the plan of input {input} has no {what}")]
    Incomplete {
        /// The input.
        input: String,
        /// What is missing.
        what: String,
    },
    /// The jvm engine can't run the functions.
    #[error("the functions of input {input} can't be run: {error}")]
    Host {
        /// The input.
        input: String,
        /// What the host says.
        error: EngineError,
    },
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

/// Where a range of operators runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// On the device: events come from its source.
    Edge,
    /// In the cloud: events that passed an assigner at the source have their time already, and come from many devices.
    Cloud,
}

/// The jvm engine of a deployed query.
#[derive(Debug, Clone)]
pub struct Jvm {
    /// The process.
    pub sidecar: Sidecar,
    /// The job's jar.
    pub jar: PathBuf,
    /// The job's capture.
    pub capture: PathBuf,
    /// Flink's version at the capture.
    pub flink: String,
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

/// Whether the operators `from + 1..=to` of an input, or the assigner among them, need the jvm engine; false for a range that the input does
/// not have.
#[must_use]
pub fn needs_jvm(input: &Input, from: i32, to: i32, site: Site) -> bool {
    parts::of(input, from, to, site)
        .is_some_and(|parts| parts.iter().any(|part| part.engine == Engine::Jvm))
}

/// An engine for the operators `from + 1..=to` of an input, whose types are `types`: one chain where all are of one kind, else several
/// behind each other.
///
/// # Errors
/// A [`DeployedError`] that names what can't be run.
pub fn engine(
    input: &Input,
    types: &[Type],
    (from, to): (i32, i32),
    site: Site,
    jvm: Option<&Jvm>,
) -> Result<Box<dyn crate::Engine + Send>, DeployedError> {
    let name = input.name.to_string();
    let range = || DeployedError::Range { input: name.clone(), from, to };
    let parts: Parts = parts::of(input, from, to, site).ok_or_else(range)?;
    let mut engines = Vec::new();
    for part in &parts {
        let engine: Box<dyn crate::Engine + Send> = match part.engine {
            Engine::Native => Box::new(native(input, types, part)?),
            Engine::Jvm => {
                let jvm = jvm.ok_or_else(|| DeployedError::Jvm(part.first_name(input)))?;
                let spec = part.spec(input, jvm)?;
                let host = |error| DeployedError::Host { input: name.clone(), error };
                Box::new(JvmChain::open(&jvm.sidecar, spec).map_err(host)?)
            }
        };
        engines.push((types[part.from].clone(), engine));
    }
    let mut engines = engines.into_iter();
    let (_, first) = engines.next().ok_or_else(range)?;
    let others: Vec<_> = engines.collect();
    Ok(if others.is_empty() { first } else { Box::new(Segments::new(first, others)) })
}

fn native(input: &Input, types: &[Type], part: &Part) -> Result<Chain, DeployedError> {
    let assigner = input.assigner.as_ref().filter(|_| part.assigns).map(|assigner| Assigner {
        after: usize::try_from(assigner.after).unwrap_or(usize::MAX),
        bound_ms: assigner.bound_ms,
        ir: &assigner.ir,
        constants: &assigner.constants,
    });
    Chain::compile_with(types, &operators(input), assigner.as_ref(), part.from, part.to)
        .map_err(|errors| DeployedError::Compile { input: input.name.to_string(), errors })
}

fn operators(input: &Input) -> Vec<Operator<'_>> {
    input
        .operators
        .iter()
        .map(|o| Operator { name: &o.name, ir: &o.ir, constants: &o.constants })
        .collect()
}

/// The chain of the operators `from + 1..=to` of an input, whose types are `types`; all of them native.
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
        return Err(DeployedError::Jvm(format!("operator {}", jvm.name)));
    }
    let assigner = match &input.assigner {
        None => None,
        Some(a) => Some(Assigner {
            after: index(a.after)?,
            bound_ms: a.bound_ms,
            ir: &a.ir,
            constants: &a.constants,
        }),
    };
    Chain::compile(types, &operators(input), assigner.as_ref(), first, end)
        .map_err(|errors| DeployedError::Compile { input: name(), errors })
}
