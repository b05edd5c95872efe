//! A device's compose project and its link, as a test looks at them.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sluice_wan::control::Client;

use super::cloud::{self, address};
use super::engine::{Engine, container};
use crate::http;
use crate::process::{Identity, run};

/// Where a device's events come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Rows of the generator, by its number.
    Generator(u32),
    /// The simulated sensor, through mosquitto, playing this many rows.
    Sensor(u64),
}

/// A device: edge.yml and its link.
#[derive(Clone, Debug)]
pub(super) struct Device {
    /// Its name, that of its project too.
    pub(super) name: &'static str,
    pub(super) source: Source,
    /// The link's rate, bytes per second up and down.
    pub(super) bytes_per_s: u64,
    /// The link's delay, one way.
    pub(super) delay_ms: u64,
    /// Whether it says who it is, by the folder `secrets` beside its own.
    pub(super) is_secure: bool,
}

impl Device {
    fn profiles(&self) -> &'static [&'static str] {
        match self.source {
            Source::Generator(_) => &["--profile", "jvm"],
            Source::Sensor(_) => &["--profile", "jvm", "--profile", "sensor"],
        }
    }

    /// Compose for the device, whose files lie in `dir`.
    pub(super) fn compose(&self, engine: &Engine, dir: &Path) -> Command {
        let secure = self.is_secure.then_some("secure-edge.yml");
        let files = ["edge.yml"].into_iter().chain(secure).chain(["offline/isolated-network.yml"]);
        let mut compose = engine.compose(self.name, &files.collect::<Vec<_>>());
        compose.env("SECRETS", dir.join("secrets"));
        compose.args(self.profiles()).env("CLOUD", cloud::NAME).env("DEVICE", self.name);
        compose.env("EDGE_CONFIG", self.config(dir)).env("SENSOR_RATE", "100");
        compose.env("SENSOR_LINES", "/sensor/lines").env("SENSOR_DIR", self.folder(dir));
        compose
    }

    /// What starts everything but a sensor.
    pub(super) fn up_without_sensor(&self) -> &'static [&'static str] {
        match self.source {
            Source::Generator(_) => &["up", "--detach"],
            Source::Sensor(_) => &["up", "--detach", "--scale", "sensor=0"],
        }
    }

    /// Compose for the link.
    pub(super) fn link(&self, engine: &Engine) -> Command {
        let mut compose = engine.compose(&format!("link-{}", self.name), &["offline/links.yml"]);
        compose.env("CLOUD", cloud::NAME).env("DEVICE", self.name);
        compose
    }

    fn folder(&self, dir: &Path) -> PathBuf {
        dir.join(self.name)
    }

    fn config(&self, dir: &Path) -> PathBuf {
        self.folder(dir).join("edge.toml")
    }

    /// Writes what its containers mount: the sources, and the sensor's rows.
    pub(super) fn write(&self, dir: &Path, events: u64, rate: u64) -> Result<()> {
        fs::create_dir_all(self.folder(dir))?;
        let source = match self.source {
            Source::Generator(number) => format!(
                "kind = \"replay\"\ngenerator = \"q1\"\nseed = 1\ngenerator_device = {number}\n\
                 count = {events}\nclosing = true\nrate = {rate}\n"
            ),
            Source::Sensor(_) => {
                "kind = \"mqtt\"\nbroker = \"mosquitto:1883\"\nclient_id = \"sluice\"\n\
                 topics = [\"readings/#\"]\n"
                    .to_owned()
            }
        };
        let text = format!("[[sources]]\nname = \"readings\"\n{source}");
        fs::write(self.config(dir), text).with_context(|| format!("the files of {}", self.name))
    }

    /// What the edge service counts under a name, over all labels that hold `label`.
    pub(super) fn metric(&self, engine: &Engine, name: &str, label: &str) -> Result<f64> {
        metric(self.edge(engine)?, name, label)
    }

    fn edge(&self, engine: &Engine) -> Result<SocketAddr> {
        address(engine, &self.container(engine)?, &format!("{}_default", self.name), 9464)
    }

    fn container(&self, engine: &Engine) -> Result<String> {
        container(engine, self.name, "edge-jvm")
    }

    /// Ends the edge's process as a crash does: the engine starts it again.
    pub(super) fn crash(&self, engine: &Engine) -> Result<()> {
        let pid = engine.inspect(&self.container(engine)?, "{{.State.Pid}}")?.parse()?;
        Identity::of(pid)?.kill()
    }

    /// How often the engine has started the edge again.
    pub(super) fn restarts(&self, engine: &Engine) -> Result<u32> {
        Ok(engine.inspect(&self.container(engine)?, "{{.RestartCount}}")?.parse()?)
    }

    /// What the engine makes of the edge's health checks.
    pub(super) fn health(&self, engine: &Engine) -> Result<String> {
        engine.inspect(&self.container(engine)?, "{{.State.Health.Status}}")
    }

    /// Says lines to the link's control.
    pub(super) fn shape(&self, engine: &Engine, lines: &[&str]) -> Result<()> {
        let link = container(engine, &format!("link-{}", self.name), "link")?;
        let network = format!("{}_default", cloud::PROJECT);
        let mut control = Client::connect(address(engine, &link, &network, 7000)?)?;
        for line in lines {
            control.ask(line)?;
        }
        Ok(())
    }

    /// Gives the link its rate and delay. Jars come at any rate: over the slowest of these links they would take minutes.
    pub(super) fn shape_as_told(&self, engine: &Engine) -> Result<()> {
        let rate = format!("rate broker {}", self.bytes_per_s);
        let delay = format!("delay broker {}", self.delay_ms);
        self.shape(engine, &[&rate, &delay])
    }

    /// Ends the device, and its link, with all that they kept.
    pub(super) fn down(&self, engine: &Engine, dir: &Path) -> Result<()> {
        run(self.link(engine).args(["down", "--timeout", "2"]))?;
        run(self.compose(engine, dir).args(["down", "--volumes", "--timeout", "5"]))
    }
}

/// What the service at an address counts under a name, over all labels that hold `label`.
pub(super) fn metric(service: SocketAddr, name: &str, label: &str) -> Result<f64> {
    let answer = http::get(service, "/metrics")?;
    ensure!(answer.status == 200, "metrics of {service}: {}", answer.status);
    let of_name =
        |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
    let lines = answer.body.lines().filter(of_name).filter(|line| line.contains(label));
    Ok(lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum())
}
