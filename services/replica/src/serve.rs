//! Which stages a process serves: the setting `replica.serve`.

use std::collections::BTreeMap;
use std::str::FromStr;

use sluice_model::{DeployedQuery, Input, InputName, QueryId};
use thiserror::Error;

/// One entry of the setting: `query/input/a..b`, `query/input/a`, `query/input/*`, or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serve {
    /// The query and the input; none for all.
    input: Option<(QueryId, InputName)>,
    /// The operators, inclusive; none for all.
    range: Option<(i32, i32)>,
}

/// An entry that can't be meant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not of the form query/input/a..b, query/input/* or *, with operators from 1: {0}")]
pub struct ServeError(String);

impl FromStr for Serve {
    type Err = ServeError;

    fn from_str(text: &str) -> Result<Self, ServeError> {
        if text == "*" {
            return Ok(Self { input: None, range: None });
        }
        let [query, input, operators] = text.split('/').collect::<Vec<_>>()[..] else {
            return Err(ServeError("it needs three parts".to_owned()));
        };
        let query = QueryId::new(query).map_err(|error| ServeError(error.to_string()))?;
        let input = InputName::new(input).map_err(|error| ServeError(error.to_string()))?;
        Ok(Self { input: Some((query, input)), range: range(operators)? })
    }
}

fn range(text: &str) -> Result<Option<(i32, i32)>, ServeError> {
    if text == "*" {
        return Ok(None);
    }
    let number =
        |text: &str| text.parse::<i32>().map_err(|error| ServeError(format!("`{text}`: {error}")));
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let (from, to) = (number(from)?, number(to)?);
    if from < 1 || to < from {
        return Err(ServeError(format!("there is no range {from}..{to}")));
    }
    Ok(Some((from, to)))
}

impl Serve {
    fn covers(&self, query: &QueryId, input: &InputName) -> bool {
        self.input.as_ref().is_none_or(|(q, i)| q == query && i == input)
    }
}

/// The stages of an input that these entries serve: by stage, the last operator that its frames are run through. Where
/// entries overlap, the first counts. Operators that the input does not have are left aside.
#[must_use]
pub fn stages(serve: &[Serve], query: &DeployedQuery, input: &Input) -> BTreeMap<i32, i32> {
    let all = input.operator_count();
    let mut stages = BTreeMap::new();
    for entry in serve.iter().filter(|entry| entry.covers(&query.query, &input.name)) {
        let (from, to) = entry.range.unwrap_or((1, all));
        let to = to.min(all);
        for stage in from..=to {
            stages.entry(stage).or_insert(to);
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> DeployedQuery {
        let operator = r#"{"name":"v","engine":"native","ir":""}"#;
        let text = format!(
            r#"{{"query":"q1","version":1,"inputs":[{{"name":"readings","partitions":1,"types":[],
               "operators":[{operator},{operator},{operator}],"assigner":null}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn served(entries: &[&str]) -> Vec<(i32, i32)> {
        let (query, serve) = (query(), entries.iter().map(|entry| entry.parse().unwrap()));
        stages(&serve.collect::<Vec<_>>(), &query, &query.inputs[0]).into_iter().collect()
    }

    #[test]
    fn entries_name_ranges_of_operators() {
        assert_eq!(served(&["*"]), [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(served(&["q1/readings/*"]), [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(served(&["q1/readings/1..2"]), [(1, 2), (2, 2)]);
        assert_eq!(served(&["q1/readings/2", "*"]), [(1, 3), (2, 2), (3, 3)]);
        assert_eq!(served(&["q1/readings/3..9"]), [(3, 3)]);
        assert_eq!(served(&["q1/readings/7..9", "q2/readings/*", "q1/other/*"]), []);
    }

    #[test]
    fn entries_that_can_not_be_meant_are_refused() {
        for text in
            ["", "q1", "q1/readings", "q1/readings/0", "q1/readings/3..2", "q1/readings/x", "Q/r/*"]
        {
            assert!(text.parse::<Serve>().is_err(), "{text}");
        }
    }
}
