//! What all checks share: the jars, and one local Flink.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use sluice_check::flink::LocalFlink;
use sluice_check::frames::{Engines, Opened};
use sluice_check::prepare::{Refused, prepare};
use sluice_check::tools::Tools;
use sluice_check::{Bench, Job, Prepared, Report, Sources, check};
use sluice_engine::deployed::{self, Jvm, Site};
use sluice_engine::jvm::Sidecar;
use xtask::java::{EQUIVALENCE, FLINK, HOST, Project};
use xtask::{install, paths};

use crate::cases::Case;

const PACKAGE: &str = "dev.sluice.equivalence";
/// What all checks share.
pub struct Workshop {
    tools: Tools,
    jar: PathBuf,
    sidecar: Sidecar,
    /// Keeps the sidecar's process between jobs.
    held: Mutex<Option<Opened>>,
    flink: Mutex<Option<LocalFlink>>,
    folder: PathBuf,
    /// Only one process uses the folder.
    _lock: File,
}

/// The workshop of this process. The environment may name jars, and Flink's, in the place of those of this tree, which are built if need be:
/// so the jobs run on another version of Flink.
///
/// # Panics
/// When the jars can't be built.
pub fn workshop() -> &'static Workshop {
    static WORKSHOP: LazyLock<Workshop> =
        LazyLock::new(|| Workshop::open().unwrap_or_else(|error| panic!("{error:#}")));
    &WORKSHOP
}

impl Workshop {
    fn open() -> Result<Self> {
        install::flink()?;
        let jar = given("SLUICE_EQUIVALENCE_JAR", EQUIVALENCE)?;
        let (folder, lock) = folder()?;
        let tools = Tools {
            java: "java".into(),
            flink: env::var_os("SLUICE_FLINK_LIB").map_or_else(paths::flink_libs, PathBuf::from),
            runtime: given("SLUICE_FLINK_JAR", FLINK)?,
            host: given("SLUICE_HOST_JAR", HOST)?,
            tmp: folder.clone(),
        };
        let sidecar = tools.sidecar(&folder.join("host"));
        Ok(Self {
            tools,
            jar,
            sidecar,
            held: Mutex::default(),
            flink: Mutex::default(),
            folder,
            _lock: lock,
        })
    }

    /// Captures and plans a job.
    ///
    /// # Errors
    /// When it has no plan, or a tool can't be run.
    pub fn prepare(&self, case: &Case) -> Result<Prepared> {
        let job = Job {
            jar: self.jar.clone(),
            main: Some(format!("{PACKAGE}.{}", case.main)),
            args: case.args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        let prepared = prepare(&self.tools, &job, &self.fresh("capture")?.join("capture.zip"))?;
        prepared.map_err(|refused: Refused| anyhow::anyhow!("{refused}")).context(case.main)
    }

    /// Runs a job split and unsplit over the lines of a seed.
    ///
    /// # Errors
    /// When the check can't be made.
    pub fn check(&self, case: &Case, prepared: &Prepared, seed: u64) -> Result<Report> {
        self.check_with(case, prepared, seed, &mut self.engines(prepared)?)
    }

    /// The same with engines of the caller's.
    ///
    /// # Errors
    /// When the check can't be made.
    pub fn check_with(
        &self,
        case: &Case,
        prepared: &Prepared,
        seed: u64,
        engines: &mut dyn Engines,
    ) -> Result<Report> {
        let inputs = case.inputs.iter().map(|input| (input.name, input.sample));
        let samples: BTreeMap<String, Vec<u8>> = inputs
            .chain(case.staying.iter().copied())
            .map(|(name, sample)| (name.to_owned(), sample.lines(seed)))
            .collect();
        let folder = self.fresh(case.main)?;
        let mut flink = self.flink()?;
        let flink = flink.as_mut().context("there is no local Flink")?;
        let mut bench = Bench { flink, engines, folder: &folder };
        check(&mut bench, prepared, &Sources::new(prepared, &samples)?, seed).context(case.main)
    }

    /// The engines of a job.
    ///
    /// # Errors
    /// When the sidecar can't run its functions.
    pub fn engines(&self, prepared: &Prepared) -> Result<Jvm> {
        let mut jvm = prepared.jvm(&self.sidecar)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none()
            && let Some(input) =
                prepared.query.inputs.iter().find(|input| !input.operators.is_empty())
        {
            *held = Some(jvm.open(input, &deployed::types(input)?, (0, 1), Site::Edge)?);
        }
        Ok(jvm)
    }

    /// The local Flink, started when it is first needed.
    fn flink(&self) -> Result<MutexGuard<'_, Option<LocalFlink>>> {
        let mut flink = self.flink.lock().unwrap_or_else(PoisonError::into_inner);
        if flink.is_none() {
            *flink = Some(LocalFlink::start(&self.tools, &self.folder.join("flink.log"))?);
        }
        Ok(flink)
    }

    /// A folder that no other check uses.
    fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = tempfile::Builder::new().prefix(name).tempdir_in(&self.folder)?;
        Ok(folder.keep())
    }
}

/// A jar that the environment names, else that of a project, built if need be.
fn given(name: &str, project: Project) -> Result<PathBuf> {
    match env::var_os(name) {
        Some(jar) => Ok(jar.into()),
        None => project.build().map(|()| project.jar()),
    }
}

/// The folder of all checks, emptied, and the lock on it.
fn folder() -> Result<(PathBuf, File)> {
    let folder = paths::target().join("equivalence");
    fs::create_dir_all(&folder)?;
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock()?;
    fs::remove_dir_all(&folder)?;
    fs::create_dir_all(&folder)?;
    Ok((folder, lock))
}
