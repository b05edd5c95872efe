//! The controller's HTTP API, as a client.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::Deserialize as _;
use serde_json::Value;
use sluice_model::{DeviceKey, Shares};
use sluice_runtime::exit::Failure;

use crate::artifacts::block_on;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where the controller is.
#[derive(Debug, Args)]
pub struct ControllerOptions {
    /// The controller.
    #[arg(
        long,
        env = "SLUICE_CONTROLLER",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    controller: String,
    /// Its token, where it has one.
    #[arg(long, env = "SLUICE_CONTROLLER_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl ControllerOptions {
    /// Asks for a path of the API about the fleet.
    ///
    /// # Errors
    /// A controller that can't be reached (exit code 69), or refuses (64).
    pub fn get(&self, path: &str, query: &[(&str, String)]) -> Result<Value> {
        block_on(self.ask(path, query))
    }

    /// Asks for a path of the API about a device.
    ///
    /// # Errors
    /// As [`ControllerOptions::get`].
    pub fn get_of(&self, key: &DeviceKey, part: &str, query: &[(&str, String)]) -> Result<Value> {
        self.get(&format!("devices/{key}{part}"), query)
    }

    async fn ask(&self, path: &str, query: &[(&str, String)]) -> Result<Value> {
        let base = self.controller.trim_end_matches('/');
        let pairs: Vec<String> =
            query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        let url = format!("{base}/api/v1/{path}{mark}{}", pairs.join("&"));
        let client = reqwest::Client::builder().timeout(TIMEOUT).build()?;
        let mut request = client.get(&url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.map_err(|error| {
            let hint = "set --controller or SLUICE_CONTROLLER";
            Failure::unavailable(format!("the controller at {base}: {error} ({hint})"))
        })?;
        let status = answer.status();
        let value: Value = answer.json().await.context("the controller's answer is no JSON")?;
        match (status.as_u16(), value["error"].as_str()) {
            (200, _) => Ok(value),
            (401, _) => Err(Failure::usage(
                "the controller needs a token: --token or SLUICE_CONTROLLER_TOKEN",
            )),
            (400..500, Some(why)) => Err(Failure::usage(why)),
            (_, why) => bail!("the controller answers {status}: {}", why.unwrap_or_default()),
        }
    }
}

/// A number of an answer, with so many digits; a dash where it is not known.
pub fn number(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(|| "-".to_owned(), |number| format!("{number:.digits$}"))
}

/// A plan of an answer as people write it: `cut 2`, or `0:300,3:700`.
pub fn plan(value: &Value) -> String {
    Shares::deserialize(value).map_or_else(|_| "-".to_owned(), |shares| shares.to_string())
}

/// The sentences of an answer.
pub fn sentences(value: &Value) -> String {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plans_and_numbers_are_short() {
        assert_eq!(plan(&json!([{"cut": 2, "per_mille": 1000}])), "cut 2");
        let shares = json!([{"cut": 0, "per_mille": 300}, {"cut": 3, "per_mille": 700}]);
        assert_eq!(plan(&shares), "0:300,3:700");
        assert_eq!([plan(&Value::Null), number(&Value::Null, 1)], ["-", "-"]);
        assert_eq!(number(&json!(1.26), 1), "1.3");
        assert_eq!(sentences(&json!(["a", "", "b"])), "a; b");
    }
}
