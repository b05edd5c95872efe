//! Flink's REST interface, as far as a deployment needs it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sluice_runtime::exit::Failure;

/// How long one call may take; the upload of a jar and the run of a `main` are the longest.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often Flink is asked again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The cluster's interface.
#[derive(Debug, Clone)]
pub struct Flink {
    http: reqwest::Client,
    url: String,
}

/// A job of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlinkJob {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Flink's word: `RUNNING`, `FINISHED` ..
    pub state: String,
}

impl FlinkJob {
    /// Whether it has ended for good.
    pub fn is_over(&self) -> bool {
        ["FINISHED", "CANCELED", "FAILED", "SUSPENDED"].contains(&self.state.as_str())
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// The class with `main`.
    pub entry_class: &'a str,
    /// Its arguments.
    pub args: &'a [String],
    /// The job's id.
    pub job: &'a str,
    /// A savepoint to start from.
    pub savepoint: Option<&'a str>,
}

impl Flink {
    /// The cluster at `url`, such as `http://127.0.0.1:8082`.
    pub fn new(url: &str) -> Result<Self> {
        let url = url.trim_end_matches('/').to_owned();
        let bad = |what: String| Failure::usage(format!("--flink-rest {url}: {what}"));
        reqwest::Url::parse(&url).map_err(|error| bad(error.to_string()))?;
        let http = reqwest::Client::builder().no_proxy().connect_timeout(CONNECT_TIMEOUT);
        let http = http.timeout(CALL_TIMEOUT).build().map_err(|error| bad(error.to_string()))?;
        Ok(Self { http, url })
    }

    /// The cluster's version of Flink.
    pub async fn version(&self) -> Result<String> {
        let overview = self.get("/overview").await?;
        Ok(overview["flink-version"].as_str().unwrap_or("unknown").to_owned())
    }

    /// Every job that the cluster knows, also those that are over.
    pub async fn jobs(&self) -> Result<Vec<FlinkJob>> {
        let overview = self.get("/jobs/overview").await?;
        let text = |job: &Value, field: &str| job[field].as_str().unwrap_or_default().to_owned();
        let jobs = overview["jobs"].as_array().into_iter().flatten().map(|job| FlinkJob {
            id: text(job, "jid"),
            name: text(job, "name"),
            state: text(job, "state"),
        });
        Ok(jobs.collect())
    }

    /// Uploads a jar and returns its id.
    pub async fn upload(&self, jar: &Path, name: &str) -> Result<String> {
        let bytes = std::fs::read(jar)?;
        let part = Part::bytes(bytes).file_name(name.to_owned());
        let part = part.mime_str("application/x-java-archive")?;
        let request = self.request(Method::POST, "/jars/upload");
        let answer = self.send(request.multipart(Form::new().part("jarfile", part))).await?;
        let path = answer["filename"].as_str().unwrap_or_default();
        Ok(path.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// Removes an uploaded jar; a job that runs has its own copy.
    pub async fn remove_jar(&self, id: &str) -> Result<()> {
        self.send(self.request(Method::DELETE, &format!("/jars/{id}"))).await.map(|_| ())
    }

    /// Runs the `main` of an uploaded jar.
    pub async fn run(&self, jar: &str, run: &Run<'_>) -> Result<()> {
        let mut body = json!({
            "entryClass": run.entry_class,
            "programArgsList": run.args,
            "jobId": run.job,
        });
        if let Some(savepoint) = run.savepoint {
            body["savepointPath"] = savepoint.into();
            // The frame source of another version has a state of its own.
            body["allowNonRestoredState"] = true.into();
        }
        let request = self.request(Method::POST, &format!("/jars/{jar}/run")).json(&body);
        self.send(request).await.map(|_| ())
    }

    /// Stops a job with a savepoint and returns where that is. Without `target` the cluster's own folder is taken.
    pub async fn stop(&self, job: &str, target: Option<&str>, timeout: Duration) -> Result<String> {
        let body = json!({ "targetDirectory": target, "drain": false });
        let request = self.request(Method::POST, &format!("/jobs/{job}/stop")).json(&body);
        let answer = self.send(request).await?;
        let trigger = answer["request-id"].as_str().unwrap_or_default().to_owned();
        let deadline = Instant::now() + timeout;
        loop {
            let status = self.get(&format!("/jobs/{job}/savepoints/{trigger}")).await?;
            let operation = &status["operation"];
            if let Some(place) = operation["location"].as_str() {
                return Ok(place.to_owned());
            }
            if status["status"]["id"] == "COMPLETED" {
                let cause = operation["failure-cause"]["stack-trace"].as_str().unwrap_or_default();
                return Err(self.refused(&format!("savepoint of job {job}"), cause));
            }
            self.wait(deadline, &format!("the savepoint of job {job}")).await?;
        }
    }

    /// Cancels a job without a savepoint.
    pub async fn cancel(&self, job: &str) -> Result<()> {
        self.send(self.request(Method::PATCH, &format!("/jobs/{job}"))).await.map(|_| ())
    }

    /// Waits until a job runs (`running`) or is over.
    pub async fn await_job(&self, job: &str, running: bool, timeout: Duration) -> Result<()> {
        let deadline = Instant::now() + timeout;
        loop {
            let found = self.jobs().await?.into_iter().find(|found| found.id == job);
            match found {
                Some(found) if found.is_over() && running => {
                    return Err(self.refused(&format!("job {job} is {}", found.state), ""));
                }
                Some(found) if found.is_over() || (running && found.state == "RUNNING") => {
                    return Ok(());
                }
                None if !running => return Ok(()),
                _ => {}
            }
            let what = if running { "runs" } else { "has ended" };
            self.wait(deadline, &format!("job {job} {what}")).await?;
        }
    }

    async fn wait(&self, deadline: Instant, what: &str) -> Result<()> {
        if Instant::now() >= deadline {
            return Err(Failure::unavailable(format!("{}: waited too long for: {what}", self.url)));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
        Ok(())
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    async fn get(&self, path: &str) -> Result<Value> {
        self.send(self.request(Method::GET, path)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value> {
        let unreachable = |error: reqwest::Error| {
            let mut cause: &dyn std::error::Error = &error;
            while let Some(inner) = cause.source() {
                cause = inner;
            }
            Failure::unavailable(format!("--flink-rest {}: {cause}", self.url))
        };
        let response = request.send().await.map_err(unreachable)?;
        let (status, path) = (response.status(), response.url().path().to_owned());
        let text = response.text().await.map_err(unreachable)?;
        if !status.is_success() {
            let errors: Value = serde_json::from_str(&text).unwrap_or_default();
            let errors = errors["errors"].as_array().into_iter().flatten();
            let trace: Vec<&str> = errors.filter_map(Value::as_str).collect();
            return Err(self.refused(&format!("{path}: {status}"), &trace.join("\n")));
        }
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    fn refused(&self, what: &str, trace: &str) -> anyhow::Error {
        let causes = causes(trace);
        let colon = if causes.is_empty() { "" } else { ": " };
        Failure::usage(format!("--flink-rest {}: {what}{colon}{causes}", self.url))
    }
}

/// What people need of a Java stack trace: the innermost cause; the first line where no cause is named.
fn causes(trace: &str) -> String {
    let cause = trace.lines().rev().find_map(|line| line.trim().strip_prefix("Caused by: "));
    let line = cause.or_else(|| trace.lines().find(|line| !line.trim().is_empty()));
    line.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_trace_becomes_its_innermost_cause() {
        let trace =
            "a.B: outer\n\tat x\nCaused by: a.C: middle\n\tat y\nCaused by: a.D: inner\n\tat z";
        assert_eq!(causes(trace), "a.D: inner");
        assert_eq!(causes("\nOnly this\n"), "Only this");
        assert_eq!(causes(""), "");
    }
}
