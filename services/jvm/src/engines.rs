//! Engines for ranges of operators, made of what is at hand.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use sluice_artifacts::{Cache, Client, Limits, Retry};
use sluice_engine::Engine;
use sluice_engine::deployed::{self, Jvm, Site};
use sluice_engine::jvm::{Options, Sidecar};
use sluice_model::{self as model, Artifact, DeployedQuery, Input};
use sluice_wire::Type;

use crate::meters;
use crate::settings::Settings;

/// Makes engines. Clones share the host and the files.
#[derive(Debug, Clone, Default)]
pub struct Engines(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    host: Option<PathBuf>,
    sidecar: Option<Sidecar>,
    files: Option<Files>,
}

/// The files of jobs on this machine.
#[derive(Debug)]
struct Files {
    cache: Cache,
    /// Nothing can be fetched without.
    client: Option<Client>,
}

/// Operators of a deployed input that are to run together.
#[derive(Debug, Clone, Copy)]
pub struct Range<'a> {
    /// The query.
    pub query: &'a DeployedQuery,
    /// The input.
    pub input: &'a Input,
    /// Operators applied before.
    pub from: i32,
    /// Operators applied afterwards.
    pub to: i32,
    /// Where.
    pub site: Site,
}

impl Range<'_> {
    fn needs_jvm(&self) -> bool {
        deployed::needs_jvm(self.input, self.from, self.to, self.site)
    }

    /// The name, the engine and the refusal of each function.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        let (from, to) = (self.from, self.to);
        let within = move |after: i32| from < after && after <= to;
        let operators = (1..).zip(&self.input.operators).filter(move |(number, _)| within(*number));
        let operators = operators.map(|(_, operator)| {
            let engine = match operator.engine {
                model::Engine::Native => "native",
                model::Engine::Jvm => "jvm",
            };
            (operator.name.as_str(), engine, operator.refusal.as_str())
        });
        let here = move |a: &&model::Assigner| within(a.after) || a.after == 0 && from == 0;
        let assigner = self.input.assigner.iter().filter(here).map(|assigner| {
            let engine = if assigner.ir.is_empty() { "jvm" } else { "native" };
            ("assigner", engine, assigner.refusal.as_str())
        });
        operators.chain(assigner)
    }
}

impl Engines {
    /// Engines with the settings of a service. Without a URL nothing is fetched, what is on the disk is used.
    ///
    /// # Errors
    /// A URL that is none, or a folder of artifacts that can't be used.
    pub fn open(settings: &Settings) -> anyhow::Result<Self> {
        let files = match (&settings.artifacts, &settings.url) {
            (None, None) => None,
            (None, Some(_)) => anyhow::bail!("artifacts.dir: missing"),
            (Some(folder), url) => {
                let limits = Limits { total_bytes: settings.max_bytes, ..Limits::default() };
                let cache = Cache::open(folder, limits).context("artifacts.dir")?;
                let client = url.as_ref().map(|url| Client::new(url, None)).transpose();
                Some(Files { cache, client: client.context("artifacts.url")? })
            }
        };
        let sidecar = settings.dir.clone().map(|socket_dir| {
            let options = Options {
                java: settings.java.clone(),
                host: settings.host.clone().unwrap_or_default(),
                heap_mb: settings.heap_mb,
                deadline: settings.deadline,
                socket_dir,
            };
            Sidecar::new(options, |text| tracing::warn!("{text}"))
        });
        Ok(Self(Arc::new(Inner { host: settings.host.clone(), sidecar, files })))
    }

    /// Fetches what [`Engines::need`] named, for ever.
    pub async fn fetch(self) {
        match &self.0.files {
            Some(Files { cache, client: Some(client) }) => {
                cache.clone().run(client.clone(), Retry::default()).await;
            }
            _ => std::future::pending().await,
        }
    }

    /// Says what is deployed here from now on, so that the files of its jobs are fetched; others may go.
    pub fn need<'a>(&self, queries: impl IntoIterator<Item = &'a DeployedQuery>) {
        let Some(files) = &self.0.files else { return };
        let with_jvm = |query: &&DeployedQuery| {
            query
                .inputs
                .iter()
                .any(|input| deployed::needs_jvm(input, 0, input.operator_count(), Site::Edge))
        };
        let mut artifacts: Vec<&Artifact> = Vec::new();
        for query in queries {
            artifacts.extend(query.inputs.iter().flat_map(Input::constants_files));
            let job = Some(query).filter(with_jvm).and_then(|query| query.job.as_ref());
            artifacts.extend(job.into_iter().flat_map(|job| [&job.jar, &job.capture]));
        }
        files.cache.need(artifacts);
    }

    /// The host's process, while there is one.
    #[must_use]
    pub fn host_process(&self) -> Option<u32> {
        self.0.sidecar.as_ref().and_then(Sidecar::process_id)
    }

    /// Publishes the host's metrics.
    pub fn publish(&self) {
        if let Some(sidecar) = &self.0.sidecar {
            meters::publish(sidecar);
        }
    }

    /// Why a range can never run with these settings; none if it can. For people: names the setting.
    #[must_use]
    pub fn misfit(&self, range: Range<'_>) -> Option<String> {
        if !range.needs_jvm() {
            let file = range.input.constants_files().next().filter(|_| self.0.files.is_none())?;
            return Some(format!("{} is needed: set artifacts.dir and artifacts.url", file.name));
        }
        let (name, to) = (&range.input.name, range.to);
        let needs =
            format!("operators {}..{to} of input {name} need the jvm engine", range.from + 1);
        let host = match &self.0.host {
            None => Some("set jvm.host to the path of sluice-host.jar".to_owned()),
            Some(host) if !host.is_file() => {
                Some(format!("jvm.host: there is no file {}", host.display()))
            }
            Some(_) => None,
        };
        let what = host
            .or_else(|| {
                self.0
                    .sidecar
                    .is_none()
                    .then(|| "set jvm.dir to a folder for its socket".to_owned())
            })
            .or_else(|| {
                self.0.files.is_none().then(|| "set artifacts.dir and artifacts.url".to_owned())
            })
            .or_else(|| range.query.job.is_none().then(|| "the plan names no job".to_owned()))?;
        Some(format!("{needs}: {what}"))
    }

    /// Why a range can't run now; none if it can, as far as is known before its functions are opened.
    #[must_use]
    pub fn lack(&self, range: Range<'_>) -> Option<String> {
        self.misfit(range).or_else(|| {
            let files = self.0.files.as_ref()?;
            let job = range.query.job.iter().filter(|_| range.needs_jvm());
            let mut needed =
                job.flat_map(|job| [&job.jar, &job.capture]).chain(range.input.constants_files());
            let missing = needed.find_map(|artifact| files.cache.missing(artifact))?;
            let unset = if files.client.is_none() { "; artifacts.url is not set" } else { "" };
            Some(format!("{missing}{unset}"))
        })
    }

    /// An engine for a range of operators, whose input's types are `types`.
    ///
    /// # Errors
    /// What is lacking, or what is wrong with the functions.
    pub fn engine(
        &self,
        range: Range<'_>,
        types: &[Type],
    ) -> anyhow::Result<Box<dyn Engine + Send>> {
        if let Some(lack) = self.lack(range) {
            anyhow::bail!(lack);
        }
        let jvm = if range.needs_jvm() { self.jvm(range.query) } else { None };
        let places = (range.from, range.to);
        let input = self.with_constants(range.input)?;
        let engine = deployed::engine(&input, types, places, range.site, jvm.as_ref())?;
        meters::opened(range);
        Ok(engine)
    }

    /// The input with the constants that lie in files.
    fn with_constants<'a>(&self, input: &'a Input) -> anyhow::Result<Cow<'a, Input>> {
        let mut input = Cow::Borrowed(input);
        if input.constants_files().next().is_none() {
            return Ok(input);
        }
        let files = self.0.files.as_ref().context("artifacts.dir: missing")?;
        for (_, constants, file) in input.to_mut().constants_mut() {
            if let Some(file) = file {
                let path = files.cache.path(&file.digest);
                let path = path.with_context(|| format!("{} is not here", file.name))?;
                *constants = std::fs::read_to_string(&path)
                    .with_context(|| format!("can't read {}", path.display()))?;
            }
        }
        Ok(input)
    }

    fn jvm(&self, query: &DeployedQuery) -> Option<Jvm> {
        let files = self.0.files.as_ref()?;
        let job = query.job.as_ref()?;
        Some(Jvm {
            sidecar: self.0.sidecar.clone()?,
            jar: files.cache.path(&job.jar.digest)?,
            capture: files.cache.path(&job.capture.digest)?,
            flink: job.flink.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(engine: &str) -> DeployedQuery {
        let digest = "0".repeat(64);
        let artifact = |name: &str| serde_json::json!({"name": name, "digest": digest, "bytes": 1});
        let plan = serde_json::json!({"query": "q1", "version": 1, "inputs": [{
                "name": "lines", "partitions": 1, "types": ["\"string\"", "\"string\""], "assigner": null,
                "operators": [{"name": "v", "engine": engine, "ir": "map v(%x: string) -> string {\nstart:\n  return %x\n}"}]}],
            "job": {"main_class": "M", "args": [], "flink": "2.2.1", "graph_digest": "", "jar": artifact("app.jar"),
                "capture": artifact("capture.zip")}});
        serde_json::from_value(plan).unwrap()
    }

    fn lack(engines: &Engines, query: &DeployedQuery, to: i32) -> Option<String> {
        let range = Range { query, input: &query.inputs[0], from: 0, to, site: Site::Edge };
        engines.lack(range)
    }

    #[test]
    fn native_operators_lack_nothing() {
        let query = query("native");
        let engines = Engines::default();
        assert_eq!(lack(&engines, &query, 1), None);
        let range =
            Range { query: &query, input: &query.inputs[0], from: 0, to: 1, site: Site::Edge };
        engines.engine(range, &deployed::types(&query.inputs[0]).unwrap()).unwrap();
    }

    #[test]
    fn constants_in_a_file_are_fetched_for_native_operators_too() {
        let mut query = query("native");
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("artifacts");
        let digest = sluice_artifacts::Digest::of(b"{}");
        let file = Artifact { name: "v.json".to_owned(), digest: digest.to_string(), bytes: 2 };
        query.inputs[0].operators[0].constants_file = Some(file);
        let engines = Engines::default();
        assert!(lack(&engines, &query, 1).unwrap().starts_with("v.json is needed"));
        let settings =
            Settings { artifacts: Some(folder.clone()), max_bytes: 1 << 20, ..Settings::default() };
        let engines = Engines::open(&settings).unwrap();
        assert!(lack(&engines, &query, 1).unwrap().starts_with("v.json ("));
        drop(engines);
        let store = sluice_artifacts::Store::open(&folder, Limits::default()).unwrap();
        let mut file = store.upload(digest).unwrap();
        file.write(b"{}").unwrap();
        file.finish().unwrap();
        drop(store);
        let engines = Engines::open(&settings).unwrap();
        assert_eq!(lack(&engines, &query, 1), None);
        let input = engines.with_constants(&query.inputs[0]).unwrap();
        assert_eq!(input.operators[0].constants, "{}");
    }

    #[test]
    fn the_setting_or_the_file_that_is_lacking_is_named() {
        let query = query("jvm");
        assert!(lack(&Engines::default(), &query, 1).unwrap().contains("set jvm.host"));
        assert_eq!(lack(&Engines::default(), &query, 0), None);
        let dir = tempfile::tempdir().unwrap();
        let mut settings = Settings {
            host: Some(dir.path().join("sluice-host.jar")),
            dir: Some(dir.path().to_owned()),
            artifacts: Some(dir.path().join("artifacts")),
            max_bytes: 1 << 20,
            ..Settings::default()
        };
        let engines = Engines::open(&settings).unwrap();
        assert!(lack(&engines, &query, 1).unwrap().contains("there is no file"));
        std::fs::write(dir.path().join("sluice-host.jar"), "").unwrap();
        let lacks = lack(&engines, &query, 1).unwrap();
        assert!(lacks.contains("app.jar") && lacks.contains("artifacts.url is not set"), "{lacks}");
        drop(engines);
        settings.url = Some("nonsense".to_owned());
        assert!(Engines::open(&settings).is_err());
    }
}
