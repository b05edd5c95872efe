//! The residual job: how it is started by hand, and what a session cluster gets.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use sluice_artifacts::Digest;
use sluice_kafka::Properties;
use sluice_model::{DeployedQuery, QueryId};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use sluice_check::tools::OPENS;

/// The launcher's class in `sluice-flink.jar`.
pub const LAUNCHER: &str = "dev.sluice.residual.ResidualLauncher";
const BROKERS: &str = "bootstrap.servers";

/// The launcher's arguments; everything else it reads from `sluice.queries`. `brokers` are those that Flink can reach.
pub fn arguments(query: &DeployedQuery, kafka: &Properties, brokers: Option<&str>) -> Vec<String> {
    let own = kafka.get(BROKERS).map(String::as_str);
    let mut args: Vec<String> = vec!["--brokers".to_owned()];
    args.push(brokers.or(own).unwrap_or_default().to_owned());
    args.extend(["--query".to_owned(), query.query.to_string()]);
    args.extend(["--version".to_owned(), query.version.to_string()]);
    for (name, value) in kafka.iter().filter(|(name, _)| *name != BROKERS) {
        args.extend([format!("--kafka.{name}"), value.clone()]);
    }
    args
}

/// The command that runs the residual job in a Flink of its own.
pub fn embedded(runtime: &Path, jar: &str, flink: &Path, args: &[String]) -> String {
    let path = format!("{}:{jar}:{}/*", runtime.display(), flink.display());
    let opens = OPENS.join(" ");
    let args = args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(" ");
    format!(
        "java {opens} -cp {} {LAUNCHER} {args} --checkpoint-dir DIR --restore latest",
        quoted(&path)
    )
}

/// The command that runs the residual job on a cluster of its own, whose `usrlib` holds `sluice-flink.jar` and the job's jar.
pub fn application(args: &[String]) -> String {
    let args = args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(" ");
    format!(
        "standalone-job.sh start --job-classname {LAUNCHER} {args} --checkpoint-dir DIR --restore latest"
    )
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Writes `sluice-flink.jar` with the user's jar inside, as `lib/job.jar`, where Flink finds it for the user's class path.
///
/// # Errors
/// Jars that can't be read, a file that can't be written.
pub fn combine(runtime: &Path, job: &Path, to: &Path) -> Result<()> {
    let open =
        |path: &Path| File::open(path).with_context(|| format!("can't read {}", path.display()));
    let mut ours = ZipArchive::new(open(runtime)?)
        .with_context(|| format!("{} is no jar", runtime.display()))?;
    let file = File::create(to).with_context(|| format!("can't write {}", to.display()))?;
    let mut combined = ZipWriter::new(BufWriter::new(file));
    for at in 0..ours.len() {
        combined.raw_copy_file(ours.by_index_raw(at)?)?;
    }
    // It is compressed already.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    combined.start_file("lib/job.jar", stored.large_file(true))?;
    std::io::copy(&mut open(job)?, &mut combined)?;
    combined.finish()?.flush().context("the combined jar is not whole")
}

/// The ids of a query's residual jobs on session clusters: 16 digits of the query, 8 of the version, 8 of the start. So a job of
/// the cluster tells what it is, whatever name the user gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobId {
    query: u64,
    /// The version that the job runs.
    pub version: u32,
    start: u32,
}

impl JobId {
    /// The id for a start at `now_s`, seconds since 1970.
    pub fn new(query: &DeployedQuery, now_s: i64) -> Self {
        let version = u32::try_from(query.version).unwrap_or_default();
        Self { query: head(&query.query), version, start: (now_s & i64::from(u32::MAX)) as u32 }
    }

    /// What the id of a job tells, if the job is one of this query.
    pub fn parse(id: &str, query: &QueryId) -> Option<Self> {
        let part = |from: usize, to: usize| u64::from_str_radix(id.get(from..to)?, 16).ok();
        let narrow = |number: u64| u32::try_from(number).ok();
        let found = Self {
            query: part(0, 16)?,
            version: narrow(part(16, 24)?)?,
            start: narrow(part(24, 32)?)?,
        };
        (found.query == head(query)).then_some(found)
    }
}

impl std::fmt::Display for JobId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}{:08x}{:08x}", self.query, self.version, self.start)
    }
}

fn head(query: &QueryId) -> u64 {
    let digest = Digest::of(format!("sluice residual {query}").as_bytes()).to_string();
    u64::from_str_radix(&digest[..16], 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    fn query(id: &str, version: i32) -> DeployedQuery {
        let query = QueryId::new(id).unwrap();
        serde_json::from_value(serde_json::json!({
            "query": query, "version": version, "inputs": []
        }))
        .unwrap()
    }

    #[test]
    fn a_job_id_tells_query_and_version() {
        let q1 = query("q1", 7);
        let id = JobId::new(&q1, 1_800_000_000);
        assert_eq!(id.to_string().len(), 32);
        assert_eq!(JobId::parse(&id.to_string(), &q1.query), Some(id));
        assert_eq!(JobId::parse(&id.to_string(), &query("q2", 7).query), None);
        for other in ["", "0", &"é".repeat(16), &"0".repeat(32)] {
            assert_eq!(JobId::parse(other, &q1.query), None);
        }
    }

    #[test]
    fn arguments_carry_the_clients_settings() {
        let kafka: Properties = [(BROKERS, "h:1"), ("security.protocol", "SSL")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let args = arguments(&query("q1", 2), &kafka, None);
        let expected = "--brokers h:1 --query q1 --version 2 --kafka.security.protocol SSL";
        assert_eq!(args.join(" "), expected);
        assert_eq!(arguments(&query("q1", 2), &kafka, Some("kafka:9092"))[1], "kafka:9092");
        let line = embedded(Path::new("a b.jar"), "q1.jar", Path::new("/flink/lib"), &args);
        assert!(line.contains("-cp 'a b.jar:q1.jar:/flink/lib/*' "), "{line}");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_combined_jar_holds_both() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mut ours = ZipWriter::new(File::create(at("ours.jar")).unwrap());
        ours.start_file("META-INF/MANIFEST.MF", SimpleFileOptions::default()).unwrap();
        ours.write_all(b"manifest").unwrap();
        ours.finish().unwrap();
        std::fs::write(at("job.jar"), b"job").unwrap();
        combine(&at("ours.jar"), &at("job.jar"), &at("both.jar")).unwrap();
        let mut both = ZipArchive::new(File::open(at("both.jar")).unwrap()).unwrap();
        let mut text = |name| {
            let mut text = String::new();
            both.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(text("META-INF/MANIFEST.MF"), "manifest");
        assert_eq!(text("lib/job.jar"), "job");
        assert!(combine(&at("job.jar"), &at("job.jar"), &at("x.jar")).is_err());
    }
}
