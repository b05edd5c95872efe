//! What programs send.

use serde::Deserialize;
use sluice_model::{Cut, Epoch, Mode, RoutingCommand, Share};

/// The body of a route.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteRequest {
    cut: Option<Cut>,
    /// Per mille by cut.
    shares: Option<std::collections::BTreeMap<String, i32>>,
    #[serde(default)]
    reason: String,
    expires_at: Option<i64>,
    if_epoch: Option<Epoch>,
}

/// The body of a release.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReleaseRequest {
    reason: String,
}

/// The query of a history.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// The most decisions.
    #[serde(default = "HistoryQuery::usual")]
    pub limit: usize,
}

impl HistoryQuery {
    fn usual() -> usize {
        20
    }
}

/// Who issues what comes through the API.
const ISSUER: &str = "controller API";

impl RouteRequest {
    /// The command, for an input of so many operators.
    pub fn command(self, operators: i32) -> Result<RoutingCommand, String> {
        let share = |(cut, per_mille): (String, i32)| {
            let cut = cut.parse().map_err(|_| format!("`{cut}` is no cut"))?;
            Ok(Share { cut: Cut(cut), per_mille })
        };
        let shares = self.shares.map(|shares| shares.into_iter().map(share).collect());
        let command = RoutingCommand {
            cut: self.cut,
            shares: shares.transpose().map_err(|error: String| error)?,
            mode: Mode::Manual,
            expires_at: self.expires_at,
            if_epoch: self.if_epoch,
            ..RoutingCommand::release(ISSUER, &self.reason)
        };
        command.order(operators).map_err(|error| error.to_string())?;
        Ok(command)
    }
}

impl ReleaseRequest {
    /// The command.
    pub fn command(&self) -> RoutingCommand {
        RoutingCommand::release(ISSUER, &self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(json: &str) -> Result<RoutingCommand, String> {
        let request: RouteRequest = serde_json::from_str(json).map_err(|e| e.to_string())?;
        request.command(3)
    }

    #[test]
    fn a_route_is_a_cut_or_shares_within_the_input() {
        assert_eq!(route(r#"{"cut":2}"#).unwrap().cut, Some(Cut(2)));
        let shares = route(r#"{"shares":{"0":300,"3":700},"reason":"x"}"#).unwrap().shares;
        assert_eq!(shares.unwrap().len(), 2);
        for bad in [r#"{}"#, r#"{"cut":4}"#, r#"{"cut":1,"shares":{"0":1000}}"#, r#"{"cat":1}"#] {
            assert!(route(bad).is_err(), "{bad}");
        }
    }
}
