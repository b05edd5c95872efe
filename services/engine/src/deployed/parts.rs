//! A range of operators cut where the engine changes.

use sluice_model::{Engine, Function, FunctionKind, Input};

use super::{DeployedError, Jvm, Site};
use crate::jvm::{ChainSpec, StepSpec};

/// Parts one behind the other; at least one.
pub(super) type Parts = Vec<Part>;

/// Operators `from + 1..=to` of one engine, and perhaps the assigner among them or before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) engine: Engine,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) assigns: bool,
}

/// The parts of a range; none if the input does not have it.
pub(super) fn of(input: &Input, from: i32, to: i32, site: Site) -> Option<Parts> {
    let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
    let operators = input.operators.get(from..to)?;
    let assigner = input.assigner.as_ref().and_then(|assigner| {
        let engine = if assigner.ir.is_empty() { Engine::Jvm } else { Engine::Native };
        let after = usize::try_from(assigner.after).ok()?;
        // A generator of the user's is of one device.
        let again = site == Site::Edge || engine == Engine::Native;
        let here = from < after && after <= to || after == 0 && from == 0 && again;
        here.then_some((after, engine))
    });
    let mut parts = Parts::new();
    let mut add =
        |engine: Engine, before: usize, behind: usize, assigns: bool| match parts.last_mut() {
            Some(last) if last.engine == engine => {
                last.to = behind;
                last.assigns |= assigns;
            }
            _ => parts.push(Part { engine, from: before, to: behind, assigns }),
        };
    for place in from..=to {
        if let Some(operator) = place.checked_sub(from + 1).and_then(|i| operators.get(i)) {
            add(operator.engine, place - 1, place, false);
        }
        if let Some((after, engine)) = assigner
            && after == place
        {
            add(engine, place, place, true);
        }
    }
    if parts.is_empty() {
        parts.push(Part { engine: Engine::Native, from, to, assigns: false });
    }
    Some(parts)
}

impl Part {
    /// What is named when it can't be run.
    pub(super) fn first_name(&self, input: &Input) -> String {
        match input.operators.get(self.from..self.to).and_then(<[_]>::first) {
            Some(operator) => format!("operator {}", operator.name),
            None => "the assigner".to_owned(),
        }
    }

    /// The chain as the host must know it.
    pub(super) fn spec(&self, input: &Input, jvm: &Jvm) -> Result<ChainSpec, DeployedError> {
        let missing =
            |what: String| DeployedError::Incomplete { input: input.name.to_string(), what };
        let types = input.java_types.get(self.from..=self.to);
        let types = types.ok_or_else(|| missing("Java types".to_owned()))?;
        let schemas = input.types.get(self.from..=self.to);
        let schemas = schemas.ok_or_else(|| missing("types".to_owned()))?;
        let mut steps = Vec::new();
        for place in self.from..=self.to {
            if place > self.from {
                let operator = &input.operators[place - 1];
                let function = operator.function;
                let function =
                    function.ok_or_else(|| missing(format!("function of {}", operator.name)))?;
                steps.push(step(function, &operator.name, 0));
            }
            if let Some(assigner) = input
                .assigner
                .as_ref()
                .filter(|assigner| self.assigns && usize::try_from(assigner.after) == Ok(place))
            {
                let function = assigner.function;
                let function =
                    function.ok_or_else(|| missing("function of the assigner".to_owned()))?;
                let function = Function { kind: FunctionKind::Assigner, ..function };
                steps.push(step(function, "assigner", assigner.bound_ms));
            }
        }
        Ok(ChainSpec {
            jar: jvm.jar.clone(),
            capture: jvm.capture.clone(),
            flink: jvm.flink.clone(),
            schemas: schemas.to_vec(),
            types: types.to_vec(),
            steps,
        })
    }
}

fn step(function: Function, name: &str, bound_ms: i64) -> StepSpec {
    StepSpec { kind: function.kind, node: function.node, name: name.to_owned(), bound_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` and `j` are native and jvm operators, `N` and `J` the assigner.
    fn input(shape: &str) -> Input {
        let plan =
            r#"{"name":"readings","partitions":1,"types":[],"operators":[],"assigner":null}"#;
        let mut input: Input = serde_json::from_str(plan).unwrap();
        for letter in shape.chars() {
            let engine =
                if letter.eq_ignore_ascii_case(&'n') { Engine::Native } else { Engine::Jvm };
            let ir = if engine == Engine::Native { "ir" } else { "" }.to_owned();
            if letter.is_lowercase() {
                let operator = serde_json::json!({"name": "v", "engine": engine, "ir": ir});
                input.operators.push(serde_json::from_value(operator).unwrap());
            } else {
                let after = input.operator_count();
                let assigner = serde_json::json!({"after": after, "bound_ms": 0, "ir": ir});
                input.assigner = Some(serde_json::from_value(assigner).unwrap());
            }
        }
        input
    }

    /// The parts in words: `n0-2` are native operators 1 and 2, `!` is the assigner.
    fn parts(shape: &str, from: i32, to: i32, site: Site) -> String {
        let parts = of(&input(shape), from, to, site).unwrap();
        let word = |part: &Part| {
            let engine = if part.engine == Engine::Native { 'n' } else { 'j' };
            format!("{engine}{}-{}{}", part.from, part.to, if part.assigns { "!" } else { "" })
        };
        parts.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_range_is_cut_where_the_engine_changes() {
        assert_eq!(parts("nnn", 0, 3, Site::Edge), "n0-3");
        assert_eq!(parts("njjn", 0, 4, Site::Edge), "n0-1 j1-3 n3-4");
        assert_eq!(parts("njjn", 2, 3, Site::Edge), "j2-3");
        assert_eq!(parts("njjn", 2, 2, Site::Edge), "n2-2");
        assert_eq!(of(&input("n"), 0, 2, Site::Edge), None);
    }

    #[test]
    fn the_assigner_runs_where_the_operator_before_it_runs() {
        assert_eq!(parts("nNn", 0, 2, Site::Edge), "n0-2!");
        assert_eq!(parts("nNn", 1, 2, Site::Edge), "n1-2");
        assert_eq!(parts("jNj", 0, 2, Site::Edge), "j0-1 n1-1! j1-2");
        assert_eq!(parts("jNn", 0, 2, Site::Edge), "j0-1 n1-2!");
        assert_eq!(parts("nJn", 0, 1, Site::Cloud), "n0-1 j1-1!");
        assert_eq!(parts("jJ", 0, 1, Site::Cloud), "j0-1!");
    }

    #[test]
    fn an_assigner_at_the_source_runs_on_the_device() {
        assert_eq!(parts("Jn", 0, 0, Site::Edge), "j0-0!");
        assert_eq!(parts("Jn", 0, 1, Site::Edge), "j0-0! n0-1");
        assert_eq!(parts("Jn", 0, 1, Site::Cloud), "n0-1");
        assert_eq!(parts("Nj", 0, 1, Site::Cloud), "n0-0! j0-1");
        assert_eq!(parts("Nn", 0, 0, Site::Edge), "n0-0!");
    }
}
