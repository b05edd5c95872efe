//! The residual job of a query, a Flink of its own in one process: how it is started, and what it shows.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::case::Case;
use crate::http;
use crate::java::{FLINK, flink};
use crate::stack::Stack;

/// What cuts the job and runs the rest of it.
const LAUNCHER: &str = "dev.sluice.residual.ResidualLauncher";

/// A residual job that runs in a stack.
#[derive(Clone, Debug)]
pub struct Residual {
    /// Flink's own HTTP.
    pub http: SocketAddr,
}

impl Residual {
    /// Starts the job of the deployed query, which listens at `http`. Started again it goes on from its newest checkpoint.
    pub fn start(stack: &mut Stack, case: &Case, http: SocketAddr) -> Result<Residual> {
        let state = stack.state();
        let mut job = flink(&[FLINK.jar(), case.project.jar()], &stack.log4j2());
        job.args([
            LAUNCHER,
            "--brokers",
            &state.brokers,
            "--query",
            case.id(),
            "--restore",
            "latest",
        ]);
        job.arg("--checkpoint-dir").arg(state.dir.join("checkpoints"));
        job.args(["--checkpoint-interval-ms", "1000", "--rest-port", &http.port().to_string()]);
        stack.spawn("residual", &mut job)?;
        Ok(Residual { http })
    }

    /// Whether the job is running.
    pub fn is_running(&self) -> Result<bool> {
        let jobs = self.get("/jobs")?;
        let mut jobs = jobs["jobs"].as_array().into_iter().flatten();
        Ok(jobs.any(|job| job["status"] == "RUNNING"))
    }

    /// The watermark that the frame source has emitted, epoch milliseconds; none before the first.
    pub fn emitted_watermark_ms(&self) -> Result<Option<i64>> {
        let text = |value: &Value| {
            value.as_str().map(str::to_owned).context("Flink's answer has another form")
        };
        let job = text(&self.get("/jobs")?["jobs"][0]["id"])?;
        let source = text(&self.get(&format!("/jobs/{job}"))?["vertices"][0]["id"])?;
        let metrics = format!("/jobs/{job}/vertices/{source}/subtasks/metrics");
        let names = self.get(&metrics)?;
        let is_watermark = |name: &&str| name.ends_with("sluice.emittedWatermark");
        let mut names = names.as_array().into_iter().flatten().filter_map(|m| m["id"].as_str());
        let Some(name) = names.find(is_watermark) else { return Ok(None) };
        let query = format!("{metrics}?get={}&agg=min", name.replace(' ', "%20"));
        let value = &self.get(&query)?[0]["min"];
        // As a double; before the first watermark it is the lowest long.
        Ok(value.as_f64().filter(|ms| *ms > -1e18).map(|ms| ms as i64))
    }

    fn get(&self, path: &str) -> Result<Value> {
        serde_json::from_str(&http::get(self.http, path)?.body)
            .with_context(|| format!("{}{path} is no JSON", self.http))
    }
}
