//! The compose files: valid, and nothing in them that would run with more rights than is written down.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::checks::Checks;
use super::engine::Engine;
use crate::paths;
use crate::process::output;

/// Files that belong together, with all profiles.
const SETS: [(&str, &[&str]); 6] = [
    ("cloud", &["cloud.yml"]),
    ("edge", &["edge.yml"]),
    ("secure-cloud", &["cloud.yml", "secure.yml"]),
    ("secure-edge", &["edge.yml", "secure-edge.yml"]),
    ("monitoring", &["monitoring.yml"]),
    ("demo", &["demo.yml"]),
];

/// Checks them all.
pub(super) fn check(engine: &Engine, checks: &mut Checks) {
    for (name, files) in SETS {
        checks.check(&format!("compose file {name} is valid and confines its containers"), || {
            let said = output(engine.compose(name, files).args([
                "--profile",
                "*",
                "config",
                "--format",
                "json",
            ]))?;
            let config: Value = serde_json::from_str(&said)?;
            let services = config["services"].as_object().context("no services")?;
            ensure!(!services.is_empty(), "no services");
            for (service, settings) in services {
                is_confined(settings).with_context(|| format!("service {service}"))?;
            }
            Ok(())
        });
    }
}

/// The scrape configuration, and what alerts say in made-up situations.
pub(super) fn check_alerts(checks: &mut Checks) {
    checks.check("alerts fire when they should", || {
        let promtool = |arguments: &[&str]| {
            let mut promtool = Command::new("promtool");
            promtool.args(arguments).current_dir(paths::root().join("dashboards/prometheus"));
            output(&mut promtool)
        };
        promtool(&["check", "config", "prometheus.yml"])?;
        promtool(&["test", "rules", "rules_test.yml"])
    });
}

/// No capability, no way to new rights, a bound on logs, started again when it ends.
fn is_confined(service: &Value) -> Result<()> {
    let words = |key: &str| -> BTreeSet<&str> {
        service[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    ensure!(words("cap_drop").contains("ALL"), "keeps capabilities");
    ensure!(words("cap_add").is_empty(), "adds capabilities: {:?}", words("cap_add"));
    ensure!(words("security_opt").contains("no-new-privileges:true"), "may gain privileges");
    ensure!(service["privileged"] != true, "is privileged");
    ensure!(service["user"] != "root" && service["user"] != "0", "runs as root");
    ensure!(service["logging"]["options"]["max-size"].is_string(), "its log is unbounded");
    let restart = service["restart"].as_str().unwrap_or_default();
    ensure!(["unless-stopped", "on-failure"].contains(&restart), "restart is {restart:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_confined_is_named() {
        let confined = json!({
            "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"], "restart": "unless-stopped",
            "logging": {"options": {"max-size": "10m"}}
        });
        is_confined(&confined).unwrap();
        for (key, value, said) in [
            ("cap_drop", json!([]), "keeps capabilities"),
            ("cap_add", json!(["NET_ADMIN"]), "NET_ADMIN"),
            ("privileged", json!(true), "is privileged"),
            ("user", json!("root"), "runs as root"),
            ("restart", json!("no"), "\"no\""),
        ] {
            let mut service = confined.clone();
            service[key] = value;
            let error = is_confined(&service).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
