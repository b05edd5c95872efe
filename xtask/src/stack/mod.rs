//! The native stack: Kafka, the schema registry and one relay per device, in one scratch folder.
//!
//! Everything listens on loopback and on free ports. A state file in the folder names each process by number and start
//! time, so that a later `down` ends what was started here and nothing else.

mod broker;
mod ports;
mod processes;
mod registry;
mod state;

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sluice_wan::control::Client;

use crate::cargo;
use crate::install;
use crate::java::{all_of, java};
use crate::paths;
pub use ports::free_ports;
pub use state::{Device, Service, State};

/// What a process gets to end by itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to start, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scratch folder; made by `up`, removed by `down`.
    pub dir: PathBuf,
    /// Devices that get a relay and a broker listener of their own.
    pub devices: Vec<String>,
    /// Whether the processes outlive this one and ignore its terminal.
    pub detached: bool,
}

impl Options {
    /// A stack that ends with this process, in a folder of the system's temporary one.
    pub fn named(name: &str, devices: &[&str]) -> Options {
        let devices = devices.iter().map(|&device| device.to_owned()).collect();
        Options { dir: std::env::temp_dir().join(name), devices, detached: false }
    }
}

/// A running stack. Dropping it ends its processes and removes the folder, unless it is left running.
#[derive(Debug)]
pub struct Stack {
    state: State,
    detached: bool,
    left_running: bool,
    /// Kept only to collect them when they end: who they are stands in the state.
    children: Vec<Child>,
    /// How each process was started, by name.
    commands: BTreeMap<String, Command>,
}

impl Stack {
    /// Installs what is missing and starts the stack; what an earlier run left in the folder is ended first.
    pub fn up(options: &Options) -> Result<Stack> {
        install::services()?;
        cargo::build(&["sluice-wan"])?;
        down(&options.dir)?;
        claim(&options.dir)?;
        let ports = free_ports(5 + 2 * options.devices.len())?;
        let [client, controller, registry, management, wan, ref of_devices @ ..] = ports[..] else {
            bail!("too few ports");
        };
        let (listeners, relays) = of_devices.split_at(options.devices.len());
        let device = |((name, &relay), &listener): ((&String, &u16), &u16)| Device {
            name: name.clone(),
            brokers: local(relay).to_string(),
            listener: local(listener).to_string(),
        };
        let state = State {
            dir: options.dir.clone(),
            brokers: local(client).to_string(),
            registry_url: format!("http://{}{}", local(registry), registry::CONFLUENT_API),
            wan_control: local(wan),
            devices: options.devices.iter().zip(relays).zip(listeners).map(device).collect(),
            services: Vec::new(),
        };
        state.save()?;
        let mut stack = Stack {
            state,
            detached: options.detached,
            left_running: false,
            children: Vec::new(),
            commands: BTreeMap::new(),
        };
        fs::create_dir(options.dir.join("logs"))?;
        // The registry needs no broker: the two start side by side.
        stack.spawn("registry", &mut registry::command(registry, management, &options.dir)?)?;
        stack.start_wan()?;
        let broker = broker::Broker { client, controller, listeners, relays };
        broker.format(&options.dir)?;
        stack.spawn("kafka", &mut broker.command(&options.dir))?;
        stack.await_answer("kafka", || Ok(broker::node(local(client))? == local(client)))?;
        stack.await_answer("registry", || registry::is_ready(local(registry)))?;
        registry::set_compatibility(local(registry))?;
        stack.check_links()?;
        Ok(stack)
    }

    fn start_wan(&mut self) -> Result<()> {
        if self.state.devices.is_empty() {
            return Ok(());
        }
        let mut wan = Command::new(cargo::program("sluice-wan"));
        wan.args(["--control", &self.state.wan_control.to_string()]);
        for Device { name, brokers, listener } in &self.state.devices {
            wan.args(["--relay", &format!("{name}={brokers},{listener}")]);
        }
        self.spawn("wan", &mut wan)?;
        let control = self.state.wan_control;
        self.await_answer("wan", || Ok(Client::connect(control).is_ok()))
    }

    /// A device that came through its relay must be sent back to it, never past it.
    fn check_links(&self) -> Result<()> {
        for Device { name, brokers, .. } in &self.state.devices {
            let relay: SocketAddr = brokers.parse()?;
            let node = broker::node(relay);
            let node = node.with_context(|| format!("the broker through the relay of {name}"))?;
            ensure!(node == relay, "the listener of {name} advertises {node}, not its relay");
        }
        Ok(())
    }

    /// Addresses and processes.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Where the output of a process goes.
    pub fn log(&self, name: &str) -> PathBuf {
        self.state.dir.join("logs").join(format!("{name}.log"))
    }

    /// The logging configuration of Java processes.
    pub fn log4j2(&self) -> PathBuf {
        self.state.dir.join(broker::LOG4J_FILE)
    }

    /// A command line tool of Kafka's, by its class, connected to the broker.
    pub fn kafka_tool(&self, class: &str) -> Command {
        let mut tool = java(64, &[all_of(&paths::kafka_libs())], &self.state.dir);
        tool.arg(format!("-Dlog4j2.configurationFile={}", self.log4j2().display()));
        tool.args(["-XX:TieredStopAtLevel=1", class]);
        tool.args(["--bootstrap-server", &self.state.brokers]);
        tool
    }

    /// The last lines of a process's output.
    pub fn log_tail(&self, name: &str) -> String {
        let log = fs::read(self.log(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Saves the logs from the end of the stack, and returns where they are then.
    pub fn keep_logs(&self) -> Result<PathBuf> {
        if self.detached {
            return Ok(self.state.dir.join("logs"));
        }
        let kept = self.state.dir.with_extension("logs");
        if kept.exists() {
            fs::remove_dir_all(&kept)?;
        }
        fs::rename(self.state.dir.join("logs"), &kept)?;
        Ok(kept)
    }

    /// The relays' settings and counters.
    pub fn wan(&self) -> Result<Client> {
        let control = self.state.wan_control;
        Client::connect(control).with_context(|| format!("the relays' control at {control}"))
    }

    /// Leaves the processes running and the folder in place, for a later [`down`].
    pub fn leave_running(mut self) {
        self.left_running = true;
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if self.left_running {
            return;
        }
        if let Err(error) = self.state.end() {
            eprintln!("stack: {error:#}");
        }
        self.children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }
}

fn local(port: u16) -> SocketAddr {
    ([127, 0, 0, 1], port).into()
}

/// Makes the folder. It must be ours alone, since `down` removes it.
fn claim(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("can't use {}", dir.display()))?;
    let is_empty = fs::read_dir(dir)?.next().is_none();
    ensure!(is_empty, "{} holds something else: take a new folder", dir.display());
    Ok(())
}

/// Ends the stack of a folder and removes the folder; false when there was none.
pub fn down(dir: &Path) -> Result<bool> {
    match State::load(dir)? {
        Some(mut state) => state.end().map(|()| true),
        None => Ok(false),
    }
}

/// One line per process and address, and whether it answers.
pub fn status(dir: &Path) -> Result<Option<(String, bool)>> {
    let Some(state) = State::load(dir)? else { return Ok(None) };
    let mut lines = Vec::new();
    let mut all = true;
    for service in &state.services {
        let answers = service.process.is_alive()
            && match service.name.as_str() {
                "kafka" => broker::node(state.brokers.parse()?).is_ok(),
                "registry" => registry::is_ready(state.registry_address()?).unwrap_or(false),
                "wan" => {
                    Client::connect(state.wan_control).and_then(|mut wan| wan.ask("stats")).is_ok()
                }
                _ => true,
            };
        all &= answers;
        let word = if answers { "up" } else { "down" };
        lines.push(format!("{:<10} {word:<5} pid {}", service.name, service.process.pid));
    }
    lines.push(format!("brokers    {}", state.brokers));
    lines.push(format!("registry   {}", state.registry_url));
    for device in &state.devices {
        let answers = broker::node(device.brokers.parse()?).is_ok();
        all &= answers;
        lines.push(format!(
            "{:<10} {:<5} {}",
            device.name,
            if answers { "up" } else { "down" },
            device.brokers
        ));
    }
    if !state.devices.is_empty() {
        lines.push(format!("wan        {}", state.wan_control));
    }
    Ok(Some((lines.join("\n"), all)))
}
