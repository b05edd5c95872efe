//! A Docker engine: one that runs already, or one of our own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{Identity, output, wait_until};
use crate::{install, paths};

const START: Duration = Duration::from_secs(30);
const STOP: Duration = Duration::from_secs(30);

/// An engine that answers. One of our own ends with this.
#[derive(Debug)]
pub(super) struct Engine {
    /// Its address; none for the one that docker finds by itself.
    host: Option<String>,
    own: Option<Child>,
}

/// A command that runs `program` with networks, mounts and processes of its own, which all end with it.
pub(super) fn in_own_spaces(program: &Path) -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    unshare.arg(program);
    unshare
}

/// Removes what our own engine kept on the disk.
pub(super) fn remove_data() -> Result<()> {
    let dir = dir();
    if dir.exists() {
        fs::remove_dir_all(&dir).with_context(|| format!("can't remove {}", dir.display()))?;
    }
    Ok(())
}

fn dir() -> PathBuf {
    std::env::temp_dir().join("sluice-docker")
}

impl Engine {
    /// Whether docker finds an engine by itself.
    pub(super) fn is_running() -> bool {
        let mut info = Command::new("docker");
        info.args(["info", "--format", "{{.ServerVersion}}"]).stdout(Stdio::null());
        info.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// That one.
    pub(super) fn running() -> Engine {
        Engine { host: None, own: None }
    }

    /// Starts our own, within the name spaces of [`in_own_spaces`].
    pub(super) fn start() -> Result<Engine> {
        output(Command::new("ip").args(["link", "set", "lo", "up"]))?;
        remove_data()?;
        let dir = dir();
        fs::create_dir_all(&dir)?;
        let host = format!("unix://{}", dir.join("docker.sock").display());
        let log = File::create(dir.join("dockerd.log"))?;
        let mut dockerd = Command::new("dockerd");
        dockerd.args(["--host", &host]).stdin(Stdio::null());
        dockerd.arg("--data-root").arg(dir.join("data")).arg("--exec-root").arg(dir.join("exec"));
        dockerd.arg("--pidfile").arg(dir.join("pid")).stdout(log.try_clone()?).stderr(log);
        let child = dockerd.spawn().context("can't start dockerd")?;
        let engine = Engine { host: Some(host), own: Some(child) };
        wait_until("the Docker engine", START, || {
            let mut info = engine.docker(["info"]);
            Ok(info.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
        })
        .with_context(|| fs::read_to_string(dir.join("dockerd.log")).unwrap_or_default())?;
        Ok(engine)
    }

    /// A `docker` that speaks to this engine.
    pub(super) fn docker<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut docker = Command::new("docker");
        docker.args(arguments).stdin(Stdio::null());
        self.reach(&mut docker);
        docker
    }

    /// Compose for a project of this engine, with the pinned versions and the stand-ins of what can't be pulled.
    pub(super) fn compose(&self, project: &str, files: &[&str]) -> Command {
        let mut compose = Command::new(install::docker_compose());
        let folder = paths::root().join("compose");
        compose.args(["--project-name", project, "--ansi", "never", "--progress", "quiet"]);
        for file in [".env", "offline/images.env"] {
            compose.arg("--env-file").arg(folder.join(file));
        }
        for file in files {
            compose.arg("--file").arg(folder.join(file));
        }
        compose.stdin(Stdio::null());
        self.reach(&mut compose);
        compose
    }

    /// Lets a command speak to this engine.
    pub(super) fn reach(&self, command: &mut Command) {
        if let Some(host) = &self.host {
            command.env("DOCKER_HOST", host);
        }
    }

    /// What `docker inspect` says of a thing, by a template.
    pub(super) fn inspect(&self, name: &str, template: &str) -> Result<String> {
        let said = output(&mut self.docker(["inspect", "--format", template, name]))?;
        Ok(said.trim().to_owned())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let Some(child) = &mut self.own else { return };
        let ended = Identity::of(child.id()).and_then(|identity| identity.terminate(STOP));
        let collected = child.wait();
        if let Err(error) = ended.and(collected.map_err(Into::into)) {
            eprintln!("docker engine: {error:#}");
        }
    }
}

/// The one container of a service of a project.
pub(super) fn container(engine: &Engine, project: &str, service: &str) -> Result<String> {
    let label = |key: &str, value: &str| format!("label=com.docker.compose.{key}={value}");
    let said = output(&mut engine.docker([
        "ps",
        "--all",
        "--quiet",
        "--filter",
        &label("project", project),
        "--filter",
        &label("service", service),
    ]))?;
    let ids: Vec<&str> = said.split_whitespace().collect();
    ensure!(ids.len() == 1, "{project} has {} containers of {service}", ids.len());
    Ok(ids[0].to_owned())
}
