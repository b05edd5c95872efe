//! A real stack with programs of ours on it, for tests that are about what users see.

pub mod cluster;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sluice_generators::Query;
use sluice_kafka::{Properties, produce_one};
use xtask::case::Case;
use xtask::job::Store;
use xtask::process::{output, wait_until};
use xtask::residual::Residual;
use xtask::stack::{Options, Stack, free_ports};
use xtask::{cargo, http, java, paths};

/// How long a condition may take to come true, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The query that the tests deploy, and its input.
pub const INPUT: &str = "q1/readings";

const RESULTS: &str = "q1-results";

/// A running stack.
pub struct World {
    /// Kafka, the registry, relays.
    pub stack: Stack,
    /// The artifact store, where a job was deployed from its jar.
    store: Option<Store>,
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
        Ok(Self { stack, store: None })
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
        self.deploy_plan(&paths::root().join("tests/plans/q1/plan.json"))?;
        self.join(device, 0)
    }

    /// Creates the shared topics and deploys the plan of a file.
    ///
    /// # Errors
    /// When a command fails.
    pub fn deploy_plan(&self, plan: &Path) -> Result<()> {
        self.run(&["init"])?;
        self.run(&["deploy", "--plan", plan.to_str().context("a path in UTF-8")?])?;
        Ok(())
    }

    /// Creates the shared topics and deploys q1 from its jar; what `change` makes of its plan is version 2. Edges and replicas
    /// that start afterwards run the job's own functions.
    ///
    /// # Errors
    /// When something can't be built or a command fails.
    pub fn deploy_job(&mut self, change: impl FnOnce(&mut Value)) -> Result<()> {
        [java::Q1, java::FLINK, java::HOST].into_iter().try_for_each(java::Project::build)?;
        self.run(&["init"])?;
        let (store, case) = (Store::start(&mut self.stack)?, Case::of(Query::Q1));
        self.store = Some(store);
        output(&mut store.deploy(&self.stack, case, RESULTS, &[]))?;
        let plan = output(&mut store.deploy(&self.stack, case, RESULTS, &["--dry-run", "--json"]))?;
        let mut plan: Value = serde_json::from_str(&plan)?;
        plan["version"] = 2.into();
        change(&mut plan);
        let file = self.write("plan.json", &plan.to_string())?;
        output(store.sluice(&self.stack, &["deploy", "--plan"]).arg(file))?;
        Ok(())
    }

    /// What a service of the folder `name` must know to run a job's own functions.
    fn job_settings(&self, name: &str) -> String {
        let settings = |store: &Store| store.settings(&self.stack.state().dir.join(name));
        self.store.as_ref().map(settings).unwrap_or_default()
    }

    /// Lets a device take part, its source the `replay` of its configuration.
    ///
    /// # Errors
    /// When the command fails.
    pub fn join(&self, device: &str, partition: i32) -> Result<()> {
        let key = format!("{INPUT}/{device}");
        let partition = partition.to_string();
        self.run(&["device", "join", &key, "--partition", &partition, "--source", "replay"])?;
        Ok(())
    }

    /// Starts the edge of `device` with `source` as the settings of its source; where its admin server listens.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_edge(&mut self, device: &str, source: &str) -> Result<SocketAddr> {
        self.start_edge_as(device, device, source)
    }

    /// Starts another edge of `device`: the process `edge-NAME` with a data folder of its own.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_edge_as(&mut self, name: &str, device: &str, source: &str) -> Result<SocketAddr> {
        let section = format!("[[sources]]\nname = \"replay\"\nkind = \"replay\"\n{source}\n");
        self.start_edge_from(name, device, &section)
    }

    /// Starts an edge of `device` as the process `edge-NAME`, `sources` its sections `[[sources]]`.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_edge_from(
        &mut self,
        name: &str,
        device: &str,
        sources: &str,
    ) -> Result<SocketAddr> {
        let state = self.stack.state();
        let relay =
            state.devices.iter().find(|d| d.name == device).context("a device of the stack")?;
        let listen = free_address()?;
        let text = format!(
            "[device]\nid = \"{device}\"\ndata_dir = \"{}\"\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n\
             [http]\nlisten = \"{listen}\"\n{sources}{}",
            state.dir.join(name).display(),
            relay.brokers,
            self.job_settings(name),
        );
        let config = self.write(&format!("edge-{name}.toml"), &text)?;
        self.stack.spawn(
            &format!("edge-{name}"),
            Command::new(cargo::program("sluice-edge")).arg("--config").arg(config),
        )?;
        Ok(listen)
    }

    /// Removes the data folder of the edge `name`: its spool and its copy of the deployment are lost.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn lose_data(&self, name: &str) -> Result<()> {
        Ok(std::fs::remove_dir_all(self.stack.state().dir.join(name))?)
    }

    /// Starts a replica of `range` of the input's operators; where its admin server listens.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_replica(&mut self, range: &str) -> Result<SocketAddr> {
        let listen = free_address()?;
        let text = format!(
            "[replica]\nserve = [\"{INPUT}/{range}\"]\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n[http]\nlisten = \"{listen}\"\n{}",
            self.stack.state().brokers,
            self.job_settings("replica"),
        );
        let config = self.write("replica.toml", &text)?;
        self.stack.spawn(
            "replica",
            Command::new(cargo::program("sluice-replica")).arg("--config").arg(config),
        )?;
        Ok(listen)
    }

    /// Starts the residual job of q1, deployed from its jar, and waits until it runs.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_residual(&mut self) -> Result<Residual> {
        self.run(&["topic", "create", RESULTS, "--partitions", "1"])?;
        let residual = Residual::start(&mut self.stack, Case::of(Query::Q1), free_address()?)?;
        self.stack.await_answer("residual", || residual.is_running())?;
        Ok(residual)
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

    /// Sends the events of a device, or of all (`*`), another way from now on.
    ///
    /// # Errors
    /// When the command fails.
    pub fn route(&self, device: &str, cut: i64) -> Result<()> {
        self.run(&["route", &format!("{INPUT}/{device}"), "--cut", &cut.to_string()])?;
        Ok(())
    }

    /// Cuts the link of a device (`"cut"`), or brings it back (`"restore"`).
    ///
    /// # Errors
    /// When the relays refuse.
    pub fn link(&self, order: &str, device: &str) -> Result<()> {
        self.stack.wan()?.ask(&format!("{order} {device}"))?;
        Ok(())
    }

    /// What `sluice verify q1` finds without results to compare: every event accounted for, or not.
    ///
    /// # Errors
    /// When it can't look.
    pub fn audit(&self, wait_s: u32) -> Result<Value> {
        let wait_s = wait_s.to_string();
        let output = self.sluice(&["verify", "q1", "--json", "--wait", &wait_s]).output()?;
        serde_json::from_slice(&output.stdout).with_context(|| all_of(&output))
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

impl Drop for World {
    /// A test that fails says where the logs are.
    fn drop(&mut self) {
        if std::thread::panicking() {
            match self.stack.keep_logs() {
                Ok(logs) => eprintln!("the logs are in {}", logs.display()),
                Err(error) => eprintln!("the logs are lost: {error:#}"),
            }
        }
    }
}

/// A copy of q1's plan in the stack's folder, changed; the path of its file.
///
/// # Errors
/// When it can't be copied.
pub fn copy_plan(world: &World, name: &str, change: impl FnOnce(&mut Value)) -> Result<PathBuf> {
    let from = paths::root().join("tests/plans/q1");
    let to = world.stack.state().dir.join(name);
    for folder in [from.clone(), from.join("types")] {
        let copy = to.join(folder.strip_prefix(&from)?);
        std::fs::create_dir_all(&copy)?;
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_file() {
                std::fs::copy(&path, copy.join(path.file_name().context("a name")?))?;
            }
        }
    }
    let path = to.join("plan.json");
    let mut plan: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
    change(&mut plan);
    std::fs::write(&path, serde_json::to_vec_pretty(&plan)?)?;
    Ok(path)
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
