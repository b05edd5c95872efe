//! Whether the planner moved what it must.

use sluice_check::Prepared;

use crate::cases::Case;

/// All that is not as the case says.
#[must_use]
pub fn problems(case: &Case, prepared: &Prepared) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expect = |what: String, expected: String, found: String| {
        if expected != found {
            problems.push(format!("{}, {what}: {found} instead of {expected}", case.main));
        }
    };
    let names = prepared.query.inputs.iter().map(|input| input.name.to_string());
    let expected: Vec<String> = case.inputs.iter().map(|input| input.name.to_owned()).collect();
    expect("inputs".to_owned(), expected.join(", "), names.collect::<Vec<_>>().join(", "));
    for (expected, found) in case.inputs.iter().zip(&prepared.query.inputs) {
        let of = |what: &str| format!("{what} of {}", expected.name);
        expect(of("operators"), expected.operators.to_string(), found.operators.len().to_string());
        let after = found.assigner.as_ref().map(|assigner| assigner.after);
        expect(of("assigner"), format!("{:?}", expected.assigner_after), format!("{after:?}"));
        let sources = prepared.explanation.sources.iter();
        let end = sources
            .filter(|source| source.input.as_ref() == Some(&found.name))
            .map(|source| source.end.word);
        expect(of("end"), expected.end.to_owned(), end.collect::<Vec<_>>().join(", "));
    }
    problems
}
