//! Plan files: what `sluice deploy --plan` takes. A plan has the form of a deployed query, but its texts (types and functions)
//! may stand in files beside it, whose names it gives.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use sluice_engine::deployed::{self, DeployedError, Site};
use sluice_model::{DeployedQuery, Engine, Input};
use sluice_runtime::exit::Failure;
use sluice_wire::frame_schema;

/// Reads the plan at `path` and every file it names.
///
/// # Errors
/// One error (exit code 64) with all problems: unreadable files, unknown fields, parts that do not fit together,
/// types outside of what Sluice carries, functions that do not compile.
pub fn load(path: &Path) -> Result<DeployedQuery> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("plan {place}: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    parse(&text, read).map_err(|problems| {
        let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        Failure::usage(format!("plan {place}: {} problem(s){lines}", problems.len()))
    })
}

/// Builds a query from the text of a plan; `read` gives the text of a file that it names.
fn parse(
    text: &str,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<DeployedQuery, Vec<String>> {
    let given: Value = serde_json::from_str(text).map_err(|error| vec![error.to_string()])?;
    let mut query: DeployedQuery =
        serde_json::from_value(given.clone()).map_err(|error| vec![error.to_string()])?;
    let mut problems = Vec::new();
    let known = serde_json::to_value(&query).map_err(|error| vec![error.to_string()])?;
    unknown_fields(&given, &known, "", &mut problems);
    for (field, unset) in
        [("digest", query.digest.is_empty()), ("schema_ids", query.schema_ids.is_empty())]
    {
        if !unset {
            problems.push(format!("{field}: deployment sets it"));
        }
    }
    problems.extend(query.problems().iter().map(ToString::to_string));
    let has_job = query.job.is_some();
    for (i, input) in query.inputs.iter_mut().enumerate() {
        let place = format!("inputs[{i}]");
        if !input.frame_schema_ids.is_empty() {
            problems.push(format!("{place}.frame_schema_ids: deployment sets it"));
        }
        let before = problems.len();
        read_texts(input, &place, &read, &mut problems);
        if problems.len() == before {
            check_functions(input, has_job, &place, &mut problems);
        }
    }
    if problems.is_empty() { Ok(query) } else { Err(problems) }
}

/// Names the fields of `given` that reading it has left out.
fn unknown_fields(given: &Value, known: &Value, place: &str, problems: &mut Vec<String>) {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => {
            for (name, value) in given {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                match known.get(name) {
                    Some(known) => unknown_fields(value, known, &place, problems),
                    None => problems.push(format!("{place}: unknown field")),
                }
            }
        }
        (Value::Array(given), Value::Array(known)) => {
            for (i, (given, known)) in given.iter().zip(known).enumerate() {
                unknown_fields(given, known, &format!("{place}[{i}]"), problems);
            }
        }
        _ => {}
    }
}

/// Puts the texts of files in the place of their names.
fn read_texts(
    input: &mut Input,
    place: &str,
    read: impl Fn(&str) -> Result<String, String>,
    problems: &mut Vec<String>,
) {
    // A JSON text is no name of a file, and neither is a function of several lines.
    let is_text = |given: &str| given.starts_with(['"', '{', '[']) || given.contains('\n');
    let text_of = |given: &str| if is_text(given) { Ok(given.to_owned()) } else { read(given) };
    for (i, ty) in input.types.iter_mut().enumerate() {
        match text_of(ty).and_then(|text| checked_type(ty, &text)) {
            // The same text, since it is compared with the one that is deployed.
            Ok(_) if is_text(ty) => {}
            Ok(schema) => *ty = schema,
            Err(problem) => problems.push(format!("{place}.types[{i}]: {problem}")),
        }
    }
    let functions = input.operators.iter_mut().enumerate();
    let functions = functions.map(|(i, o)| (format!("operators[{i}]"), o.function, &mut o.ir));
    let assigner = input.assigner.iter_mut();
    let assigner = assigner.map(|a| ("assigner".to_owned(), a.function, &mut a.ir));
    for (part, function, ir) in functions.chain(assigner) {
        // The user's own function needs no other.
        if ir.is_empty() && function.is_some() {
            continue;
        }
        match text_of(ir) {
            Ok(text) => *ir = text,
            Err(problem) => problems.push(format!("{place}.{part}.ir: {problem}")),
        }
    }
}

/// The schema in `text` in compact form.
fn checked_type(name: &str, text: &str) -> Result<String, String> {
    let schema: Value = serde_json::from_str(text).map_err(|e| format!("{name}: {e}"))?;
    let schema = schema.to_string();
    frame_schema(&schema).map_err(|e| format!("{name}: {e}"))?;
    Ok(schema)
}

/// Compiles what is native, so that no service meets a function it can't run; what is not must name the user's function.
fn check_functions(input: &Input, has_job: bool, place: &str, problems: &mut Vec<String>) {
    let types = match deployed::types(input) {
        Ok(types) => types,
        Err(error) => return problems.push(format!("{place}: {error}")),
    };
    let n = input.operator_count();
    let compiled: Vec<_> = match deployed::needs_jvm(input, 0, n, Site::Edge) {
        false => vec![deployed::chain(input, &types, 0, n).map(|_| ())],
        true => (0..n)
            .filter(|&from| !deployed::needs_jvm(input, from, from + 1, Site::Edge))
            .map(|from| {
                deployed::engine(input, &types, (from, from + 1), Site::Edge, None).map(|_| ())
            })
            .collect(),
    };
    for error in compiled.into_iter().filter_map(Result::err) {
        match error {
            DeployedError::Compile { errors, .. } => {
                problems.extend(errors.iter().map(|error| format!("{place}: {error}")));
            }
            error => problems.push(format!("{place}: {error}")),
        }
    }
    for operator in input.operators.iter().filter(|operator| operator.engine == Engine::Jvm) {
        if operator.function.is_none() || !has_job {
            let name = &operator.name;
            problems.push(format!(
                "{place}: {name} needs the jvm engine, but the plan names no function of a job"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_model::{Artifact, Function, FunctionKind, Job};

    const PLAN: &str = r#"{"query":"q1","version":1,"inputs":[{"name":"readings","partitions":4,
        "types":["long.avsc","long.avsc"],"operators":[{"name":"double","engine":"native","ir":"double.ir"}],
        "assigner":{"after":1,"bound_ms":5,"ir":"time.ir"}}]}"#;

    /// Reads the files of [`PLAN`].
    fn read(name: &str) -> Result<String, String> {
        match name {
            "long.avsc" => Ok(r#"{ "type": "long" }"#.to_owned()),
            "double.ir" => {
                Ok("map double(%x: long) -> long {\nstart:\n  %y = add %x, %x\n  return %y\n}"
                    .to_owned())
            }
            "time.ir" => {
                Ok("timestamp time(%x: long) -> long {\nstart:\n  return %x\n}".to_owned())
            }
            "bad.ir" => Ok("map double(%x: long) -> long {\nstart:\n  return %z\n}".to_owned()),
            "union.avsc" => Ok(r#"["int","long"]"#.to_owned()),
            _ => Err(format!("{name}: not found")),
        }
    }

    fn problems(change: &[(&str, &str)]) -> String {
        let plan = change.iter().fold(PLAN.to_owned(), |plan, (from, to)| {
            assert!(plan.contains(from), "{from}");
            plan.replacen(from, to, 1)
        });
        parse(&plan, read).unwrap_err().join("\n")
    }

    #[test]
    fn texts_take_the_place_of_names() {
        let query = parse(PLAN, read).unwrap();
        let input = &query.inputs[0];
        assert_eq!(input.types[1], r#"{"type":"long"}"#);
        assert!(input.operators[0].ir.starts_with("map double"));
        assert!(input.assigner.as_ref().unwrap().ir.starts_with("timestamp"));
        assert_eq!(input.heartbeat_ms, 1000);
    }

    #[test]
    fn all_problems_are_named_at_once() {
        let problems = problems(&[
            (r#""version":1"#, r#""version":0,"digest":"x","schema_ids":{"a":1}"#),
            (r#""partitions":4"#, r#""partitions":4,"oder":"source""#),
            (r#""engine":"native""#, r#""engine":"native","x":1"#),
            ("long.avsc", "none.avsc"),
            ("long.avsc", "union.avsc"),
            ("time.ir", "none.ir"),
        ]);
        for part in [
            "version 0",
            "digest: deployment sets it",
            "schema_ids: deployment sets it",
            "inputs[0].oder: unknown field",
            "inputs[0].operators[0].x: unknown field",
            "inputs[0].types[0]: none.avsc: not found",
            "inputs[0].types[1]: union.avsc: a union",
            "inputs[0].assigner.ir: none.ir: not found",
        ] {
            assert!(problems.contains(part), "{part} in {problems}");
        }
    }

    #[test]
    fn functions_that_do_not_compile_are_named_with_their_place() {
        let found = problems(&[("double.ir", "bad.ir")]);
        assert!(found.contains("inputs[0]: double, 3:"), "{found}");
        let found = problems(&[("native", "jvm")]);
        assert!(found.contains("needs the jvm engine"), "{found}");
    }

    #[test]
    fn what_a_dry_run_prints_is_a_plan() {
        let mut query = parse(PLAN, read).unwrap();
        // In another order than the one that JSON objects are written in.
        let record = r#"{"type":"record","name":"R","fields":[{"type":"long","name":"x"}]}"#;
        query.inputs[0].assigner = None;
        query.inputs[0].operators.clear();
        query.inputs[0].types = vec![record.to_owned()];
        let printed = serde_json::to_string(&query).unwrap();
        let no_files = |name: &str| Err(format!("{name}: there are no files"));
        assert_eq!(parse(&printed, no_files).unwrap(), query);
        let mut query = parse(PLAN, read).unwrap();
        let operator = &mut query.inputs[0].operators[0];
        operator.ir.clear();
        operator.engine = Engine::Jvm;
        operator.function = Some(Function { kind: FunctionKind::Map, node: 2 });
        let artifact = Artifact { name: "j".to_owned(), digest: "0".to_owned(), bytes: 1 };
        query.job = Some(Job {
            main_class: "a.B".to_owned(),
            args: Vec::new(),
            flink: "2.2.1".to_owned(),
            graph_digest: String::new(),
            jar: artifact.clone(),
            capture: artifact,
        });
        let printed = serde_json::to_string(&query).unwrap();
        assert_eq!(parse(&printed, no_files).unwrap(), query);
    }

    #[test]
    fn the_native_plan_of_q1_can_be_deployed() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/plans/q1/plan.json");
        let query = load(&path).unwrap();
        assert_eq!(query.inputs[0].operator_count(), 3);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = load(Path::new("no/plan.json")).unwrap_err();
        assert!(error.to_string().starts_with("plan no/plan.json: "), "{error}");
        assert_eq!(sluice_runtime::exit::code_of(&error), sluice_runtime::exit::USAGE);
    }
}
