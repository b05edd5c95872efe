//! A real stack with programs of ours on it, for tests that are about what users see.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sluice_kafka::{Properties, produce_one};
use xtask::process::wait_until;
use xtask::stack::{Options, Stack, free_ports};
use xtask::{cargo, http, paths};

/// How long a condition may take to come true, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The query that the tests deploy, and its input.
pub const INPUT: &str = "q1/readings";

/// A running stack.
pub struct World {
    /// Kafka, the registry, relays.
    pub stack: Stack,
}

impl World {
    /// Starts a stack in a folder of its own, with a relay per device.
    ///
    /// # Errors
    /// When something can't be built or started.
    pub fn up(name: &str, devices: &[&str]) -> Result<Self> {
        let mut options =
            Options::named(&format!("sluice-e2e-{name}-{}", std::process::id()), devices);
        options.detached = false;
        let stack = Stack::up(&options)?;
        cargo::build(&["sluice-edge", "sluice-replica", "sluice-cli"])?;
        Ok(Self { stack })
    }

    /// A `sluice` command that knows this stack.
    #[must_use]
    pub fn sluice(&self, arguments: &[&str]) -> Command {
        let mut sluice = Command::new(cargo::program("sluice"));
        let state = self.stack.state();
        sluice.args(arguments);
        sluice.env("SLUICE_BROKERS", &state.brokers).env("SLUICE_REGISTRY", &state.registry_url);
        sluice
    }

    /// Runs a `sluice` command that must succeed; its standard output.
    ///
    /// # Errors
    /// When it does not succeed.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.sluice(arguments).output()?;
        ensure!(output.status.success(), "sluice {arguments:?}: {}", all_of(&output));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Creates the shared topics, deploys q1 and joins a device on partition 0.
    ///
    /// # Errors
    /// When a command fails.
    pub fn deploy(&self, device: &str) -> Result<()> {
        let plan = paths::root().join("examples/q1/plan/plan.json");
        self.run(&["init"])?;
        self.run(&["deploy", plan.to_str().context("a path in UTF-8")?])?;
        let key = format!("{INPUT}/{device}");
        self.run(&["device", "join", &key, "--partition", "0", "--source", "replay"])?;
        Ok(())
    }

    /// Starts an edge with `lines` of settings behind the usual ones; where its admin server listens.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_edge(&mut self, device: &str, source: &str) -> Result<SocketAddr> {
        let state = self.stack.state();
        let relay =
            state.devices.iter().find(|d| d.name == device).context("a device of the stack")?;
        let listen = free_address()?;
        let text = format!(
            "[device]\nid = \"{device}\"\ndata_dir = \"{}\"\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n\
             [http]\nlisten = \"{listen}\"\n[[sources]]\nname = \"replay\"\nkind = \"replay\"\n{source}\n",
            state.dir.join(device).display(),
            relay.brokers,
        );
        let config = self.write(&format!("edge-{device}.toml"), &text)?;
        let name = format!("edge-{device}");
        self.stack.spawn(
            &name,
            Command::new(cargo::program("sluice-edge")).arg("--config").arg(config),
        )?;
        Ok(listen)
    }

    /// Starts a replica of `range` of the input's operators; where its admin server listens.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_replica(&mut self, range: &str) -> Result<SocketAddr> {
        let listen = free_address()?;
        let text = format!(
            "[replica]\nserve = [\"{INPUT}/{range}\"]\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n[http]\nlisten = \"{listen}\"\n",
            self.stack.state().brokers
        );
        let config = self.write("replica.toml", &text)?;
        self.stack.spawn(
            "replica",
            Command::new(cargo::program("sluice-replica")).arg("--config").arg(config),
        )?;
        Ok(listen)
    }

    /// Writes a file into the stack's folder.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.stack.state().dir.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// Appends a message to a topic, acknowledged.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub fn produce(&self, topic: &str, partition: i32, key: &str, value: &[u8]) -> Result<()> {
        let brokers = self.stack.state().brokers.clone();
        let properties = Properties::from([("bootstrap.servers".to_owned(), brokers)]);
        produce_one(&properties, topic, Some(partition), key, Some(value))?;
        Ok(())
    }

    /// The status of a device of the input, as `sluice status --json` shows it.
    ///
    /// # Errors
    /// When the command fails.
    pub fn status(&self, device: &str) -> Result<Value> {
        let shown: Value = serde_json::from_str(&self.run(&["status", "--json"])?)?;
        let key = format!("{INPUT}/{device}");
        let found = shown.as_array().into_iter().flatten().find(|row| row["device"] == *key);
        Ok(found.map_or(Value::Null, |row| row["status"].clone()))
    }
}

/// Everything a command printed, and how it ended.
#[must_use]
pub fn all_of(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// A loopback address that nobody listens on.
///
/// # Errors
/// When there is none.
pub fn free_address() -> Result<SocketAddr> {
    Ok(([127, 0, 0, 1], free_ports(1)?[0]).into())
}

/// The sum of a metric over all its labels that contain `part`; 0 while it is not there.
///
/// # Errors
/// When the admin server does not answer.
pub fn metric(address: SocketAddr, name: &str, part: &str) -> Result<f64> {
    let text = http::get(address, "/metrics")?.body;
    let lines = text.lines().filter(|line| line.starts_with(name) && line.contains(part));
    Ok(lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum())
}

/// Asks until the answer is yes. Errors of asking mean not yet.
///
/// # Errors
/// After a minute, with the last error.
pub fn eventually(what: &str, mut ask: impl FnMut() -> Result<bool>) -> Result<()> {
    let mut last = None;
    let waited = wait_until(what, PATIENCE, || {
        Ok(ask().unwrap_or_else(|error| {
            last = Some(error);
            false
        }))
    });
    waited.with_context(|| last.map(|error| format!("{error:#}")).unwrap_or_default())
}
