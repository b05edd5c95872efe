//! Dashboards and alerts against a Prometheus that scrapes what runs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::cloud::{self, address};
use super::engine::{Engine, container};
use crate::process::{run, wait_until};
use crate::{http, paths};

const PROJECT: &str = "sluice-monitoring";
/// Scrapes, and rates over a minute, take their time.
const PATIENCE: Duration = Duration::from_secs(90);

fn compose(engine: &Engine) -> Command {
    let mut compose = engine.compose(PROJECT, &["monitoring.yml"]);
    compose.env("CLOUD_PROJECT", cloud::PROJECT);
    compose
}

/// Starts Prometheus beside the cloud.
pub(super) fn up(engine: &Engine) -> Result<()> {
    run(compose(engine).args(["up", "--detach", "prometheus"]))
}

/// Ends it.
pub(super) fn down(engine: &Engine) -> Result<()> {
    run(compose(engine).args(["down", "--volumes", "--timeout", "5"]))
}

/// Every panel's every expression gives a series, and every rule can be evaluated.
pub(super) fn check(engine: &Engine, device: &str) -> Result<()> {
    let container = container(engine, PROJECT, "prometheus")?;
    let prometheus = address(engine, &container, &format!("{}_default", cloud::PROJECT), 9090)?;
    let panels = panels(device)?;
    println!("  {} expressions of panels", panels.len());
    let mut silent = panels;
    let all_answer = || {
        let mut still = Vec::new();
        for (panel, expression) in silent.drain(..) {
            let found = query(prometheus, &expression).with_context(|| panel.clone())?;
            if found == 0 {
                still.push((panel, expression));
            }
        }
        silent = still;
        Ok(silent.is_empty())
    };
    let waited = wait_until("a series for every panel", PATIENCE, all_answer);
    waited.with_context(|| {
        let lines = silent.iter().map(|(panel, expression)| format!("\n  {panel}: {expression}"));
        format!("nothing for{}", lines.collect::<String>())
    })?;
    metrics_are_scraped(prometheus, device)?;
    rules_are_evaluated(prometheus)
}

/// Every metric that a panel or a rule names has come from a service: an expression with `or` gives a series without it.
fn metrics_are_scraped(prometheus: SocketAddr, device: &str) -> Result<()> {
    let rules = fs::read_to_string(paths::root().join("dashboards/prometheus/rules.yml"))?;
    let mut named: BTreeSet<String> = metrics(&rules).collect();
    for (_, expression) in panels(device)? {
        named.extend(metrics(&expression));
    }
    println!("  {} metrics", named.len());
    let all_seen = || {
        let mut unseen = BTreeSet::new();
        for metric in std::mem::take(&mut named) {
            if query(prometheus, &format!("present_over_time({metric}[1h])"))? == 0 {
                unseen.insert(metric);
            }
        }
        named = unseen;
        Ok(named.is_empty())
    };
    let waited = wait_until("every metric", PATIENCE, all_seen);
    waited.with_context(|| format!("from no service: {named:?}"))
}

/// The metrics of ours and of Flink that a text names.
fn metrics(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_metric = |word: &&str| ["sluice_", "flink_"].iter().any(|p| word.starts_with(p));
    words.filter(is_metric).map(str::to_owned)
}

/// The expressions of all panels with their place, for one device and all queries.
fn panels(device: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(paths::root().join("dashboards"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let dashboard: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        for annotation in dashboard["annotations"]["list"].as_array().into_iter().flatten() {
            let Some(expression) = annotation["expr"].as_str() else { continue };
            let expression = expression.replace("$device", device).replace("$query", ".*");
            let place = format!("{}: {}", dashboard["title"], annotation["name"]);
            // A switch shows for a moment, and there was one.
            found.push((place, format!("max_over_time(({expression})[10m:10s])")));
        }
        for panel in dashboard["panels"].as_array().context("no panels")? {
            let place = format!("{}: {}", dashboard["title"], panel["title"]);
            for target in panel["targets"].as_array().into_iter().flatten() {
                let expression = target["expr"].as_str().context("no expression")?;
                let expression = expression.replace("$device", device).replace("$query", ".*");
                found.push((place.clone(), expression));
            }
        }
    }
    ensure!(!found.is_empty(), "no dashboards");
    Ok(found)
}

/// How many series an expression gives.
fn query(prometheus: SocketAddr, expression: &str) -> Result<usize> {
    let answer = ask(prometheus, &format!("/api/v1/query?query={}", encoded(expression)))?;
    Ok(answer["data"]["result"].as_array().context("no result")?.len())
}

fn rules_are_evaluated(prometheus: SocketAddr) -> Result<()> {
    let answer = ask(prometheus, "/api/v1/rules")?;
    let groups = answer["data"]["groups"].as_array().context("no groups")?;
    let rules: Vec<&Value> =
        groups.iter().filter_map(|group| group["rules"].as_array()).flatten().collect();
    ensure!(!rules.is_empty(), "no rules");
    for rule in rules {
        ensure!(rule["health"] == "ok", "{}: {}", rule["name"], rule["lastError"]);
    }
    Ok(())
}

fn ask(prometheus: SocketAddr, path: &str) -> Result<Value> {
    let answer = http::get(prometheus, path)?;
    let value: Value = serde_json::from_str(&answer.body)
        .with_context(|| format!("no JSON with status {}", answer.status))?;
    if value["status"] != "success" {
        bail!("{}", value["error"]);
    }
    Ok(value)
}

/// A text as a part of a URL.
fn encoded(text: &str) -> String {
    let mut url = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            url.push(byte.into());
        } else {
            // Writing to a string can't fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_stand_for_one_device() {
        let panels = panels("pi-7").unwrap();
        assert!(panels.iter().any(|(_, expression)| expression.contains("device=\"pi-7\"")));
        assert!(panels.iter().all(|(_, expression)| !expression.contains('$')));
        let named: Vec<String> = metrics("rate(sluice_a_total{device=\"x\"}[1m]) or up").collect();
        assert_eq!(named, ["sluice_a_total"]);
        assert_eq!(encoded("a{b=\"é\"}"), "a%7Bb%3D%22%C3%A9%22%7D");
    }
}
