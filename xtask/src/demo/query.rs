//! The query in the demo: its files, processes and topics.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Options;
use crate::case::Case;
use crate::java::{all_of, flink, java};
use crate::job::Store;
use crate::process::{output, wait_until};
use crate::residual::Residual;
use crate::stack::{Device, Stack, free_ports};
use crate::{cargo, http, paths};

const RESULTS: &str = "results";
const EXPECTED: &str = "expected";
const LINES: &str = "lines";
const UNSPLIT_TIMEOUT: Duration = Duration::from_secs(120);
const VERIFY_WAIT_S: u32 = 60;

/// What each device plays.
#[derive(Clone, Debug)]
pub(super) struct Play {
    /// Events, the closing line not counted.
    pub(super) events: u64,
    /// The setting of a replay that says how fast.
    pub(super) pace: String,
}

/// The query and where its parts listen.
pub(super) struct Query<'a> {
    options: &'a Options,
    /// What it is.
    pub(super) case: &'static Case,
    /// What each device plays, where it is not generated.
    files: Option<&'a [PathBuf]>,
    play: Play,
    dir: PathBuf,
    brokers: String,
    registry_url: String,
    devices: Vec<Device>,
    /// Admin HTTP of each device, in their order.
    pub(super) device_http: Vec<SocketAddr>,
    replica_http: Vec<SocketAddr>,
    pub(super) residual: Residual,
    store: Store,
    log4j2: PathBuf,
}

impl Query<'_> {
    pub(super) fn new<'a>(
        stack: &mut Stack,
        options: &'a Options,
        files: Option<&'a [PathBuf]>,
        play: Play,
    ) -> Result<Query<'a>> {
        let case = Case::of(options.query);
        let store = Store::start(stack)?;
        let state = stack.state();
        let ports = free_ports(state.devices.len() + case.operators as usize + 1)?;
        let listen: Vec<SocketAddr> =
            ports.iter().map(|&port| ([127, 0, 0, 1], port).into()).collect();
        let (devices, rest) = listen.split_at(state.devices.len());
        let (replicas, flink) = rest.split_at(case.operators as usize);
        Ok(Query {
            options,
            case,
            files,
            play,
            dir: state.dir.clone(),
            brokers: state.brokers.clone(),
            registry_url: state.registry_url.clone(),
            devices: state.devices.clone(),
            device_http: devices.to_vec(),
            replica_http: replicas.to_vec(),
            residual: Residual { http: flink[0] },
            store,
            log4j2: stack.log4j2(),
        })
    }

    /// Whether files are played and not generated rows: when which watermark became possible is not known then.
    pub(super) fn plays_files(&self) -> bool {
        self.files.is_some()
    }

    /// A `sluice` that knows this stack.
    pub(super) fn sluice(&self, arguments: &[&str]) -> Command {
        let mut sluice = Command::new(cargo::program("sluice"));
        sluice
            .args(arguments)
            .env("SLUICE_BROKERS", &self.brokers)
            .env("SLUICE_REGISTRY", &self.registry_url);
        sluice
    }

    /// Topics, schemas, the job from its jar, and the devices.
    pub(super) fn deploy(&self, stack: &Stack) -> Result<()> {
        output(&mut self.sluice(&["init"]))?;
        output(&mut self.store.deploy(stack, self.case, RESULTS, &[]))?;
        for (partition, device) in self.devices.iter().enumerate() {
            let key = format!("{}/{}", self.case.key(), device.name);
            let partition = partition.to_string();
            output(&mut self.sluice(&[
                "device",
                "join",
                &key,
                "--partition",
                &partition,
                "--source",
                "replay",
            ]))?;
        }
        for (topic, partitions) in [(RESULTS, 1), (EXPECTED, 1), (LINES, self.devices.len())] {
            output(&mut self.sluice(&[
                "topic",
                "create",
                topic,
                "--partitions",
                &partitions.to_string(),
            ]))?;
        }
        Ok(())
    }

    /// One replica per operator, and the residual job.
    pub(super) fn start_cloud(&self, stack: &mut Stack) -> Result<()> {
        for (operator, listen) in (1..=self.case.operators).zip(&self.replica_http) {
            let name = format!("replica-{operator}");
            let config = self.write(
                &format!("{name}.toml"),
                &format!(
                    "[replica]\nserve = [\"{}/{operator}..{operator}\"]\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n\
                     [http]\nlisten = \"{listen}\"\n{}",
                    self.case.key(),
                    self.brokers,
                    self.store.settings(&self.dir.join(&name))
                ),
            )?;
            stack.spawn(
                &name,
                Command::new(cargo::program("sluice-replica")).arg("--config").arg(config),
            )?;
        }
        Residual::start(stack, self.case, self.residual.http)?;
        for (operator, listen) in (1..=self.case.operators).zip(&self.replica_http) {
            stack.await_answer(&format!("replica-{operator}"), || is_ok(*listen, "/ready"))?;
        }
        stack.await_answer("residual", || self.residual.is_running())
    }

    /// The agents; their sources start to play at once.
    pub(super) fn start_devices(&self, stack: &mut Stack) -> Result<()> {
        for (number, (device, listen)) in self.devices.iter().zip(&self.device_http).enumerate() {
            let Device { name, brokers, .. } = device;
            let config = self.write(
                &format!("edge-{name}.toml"),
                &format!(
                    "[device]\nid = \"{name}\"\ndata_dir = \"{}\"\n[kafka]\n\"bootstrap.servers\" = \"{brokers}\"\n\
                     [http]\nlisten = \"{listen}\"\n[[sources]]\nname = \"replay\"\nkind = \"replay\"\n{}\n{}{}",
                    self.dir.join(name).display(),
                    self.play.pace,
                    self.lines(number),
                    self.store.settings(&self.dir.join(name)),
                ),
            )?;
            let edge = format!("edge-{name}");
            stack.spawn(
                &edge,
                Command::new(cargo::program("sluice-edge")).arg("--config").arg(config),
            )?;
        }
        for (device, listen) in self.devices.iter().zip(&self.device_http) {
            stack.await_answer(&format!("edge-{}", device.name), || is_ok(*listen, "/ready"))?;
        }
        Ok(())
    }

    /// The settings of a source that say what it plays.
    fn lines(&self, number: usize) -> String {
        match self.files {
            Some(files) => format!("file = \"{}\"\n", files[number].display()),
            None => format!(
                "generator = \"{}\"\nseed = {}\ngenerator_device = {number}\ncount = {}\nclosing = true\n",
                self.case.id(),
                self.options.seed,
                self.play.events,
            ),
        }
    }

    /// A console producer of the control topic: what it reads as `KEY|JSON` becomes a command.
    pub(super) fn console_producer(&self) -> Command {
        let mut producer = java(128, &[all_of(&paths::kafka_libs())], &self.dir);
        producer.arg(format!("-Dlog4j2.configurationFile={}", self.log4j2.display()));
        producer.args(["-XX:TieredStopAtLevel=1", "org.apache.kafka.tools.ConsoleProducer"]);
        producer.args([
            "--bootstrap-server",
            &self.brokers,
            "--topic",
            "sluice.control",
            "--timeout",
            "0",
        ]);
        producer.args(["--property", "parse.key=true", "--property", "key.separator=|"]);
        producer
    }

    /// Feeds the devices' events to the unsplit job, a partition each, and runs it to their end.
    pub(super) fn run_unsplit(&self, stack: &mut Stack) -> Result<()> {
        let count = self.play.events.to_string();
        let seed = self.options.seed.to_string();
        for number in 0..self.devices.len() {
            let device = number.to_string();
            let mut feed = self.sluice(&["feed", "--topic", LINES, "--partition", &device]);
            match self.files {
                Some(files) => feed.arg("--file").arg(&files[number]),
                None => feed
                    .args(["--generator", self.case.id(), "--seed", &seed, "--device", &device])
                    .args(["--count", &count, "--closing"]),
            };
            output(&mut feed)?;
        }
        let mut unsplit = flink(&[self.case.project.jar()], &self.log4j2);
        unsplit.arg(self.case.main_class);
        unsplit.args([
            "--brokers",
            &self.brokers,
            "--input",
            LINES,
            "--output",
            EXPECTED,
            "--group",
            "unsplit",
        ]);
        unsplit.args(["--parallelism", &self.devices.len().to_string(), "--bounded", "true"]);
        let process = stack.spawn("unsplit", &mut unsplit)?;
        wait_until("the unsplit job's end", UNSPLIT_TIMEOUT, || Ok(!process.is_alive()))?;
        let ended = stack.stop("unsplit")?;
        ensure!(
            ended.is_some_and(|status| status.success()),
            "the unsplit job failed:\n{}",
            stack.log_tail("unsplit")
        );
        Ok(())
    }

    /// What `sluice verify` finds: the two results compared, and every event accounted for.
    pub(super) fn verify(&self) -> Result<Value> {
        let mut verify = self.sluice(&[
            "verify",
            self.case.id(),
            "--actual",
            RESULTS,
            "--expected",
            EXPECTED,
            "--json",
        ]);
        for prefix in self.case.query.closing_results() {
            verify.args(["--ignore-prefix", prefix]);
        }
        verify.args(["--wait", &VERIFY_WAIT_S.to_string()]);
        if self.options.kills.is_some() {
            // A killed device falls behind the others. What matters is that its events are in their windows.
            verify.args(["--allow-late", &u64::MAX.to_string()]);
        }
        // A fail is an exit code too, so the code alone says nothing.
        let output = verify.output().context("can't start sluice verify")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let error = || {
            format!(
                "sluice verify: {}\n{text}{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )
        };
        serde_json::from_str(&text).with_context(error)
    }

    /// Where to look at what was left running.
    pub(super) fn addresses(&self, stack: &Stack) -> String {
        let mut lines = vec![
            "left running:".to_owned(),
            format!("brokers           {}", self.brokers),
            format!("schema registry   {}", self.registry_url),
            format!("residual job      http://{}", self.residual.http),
            format!(
                "links             {} (rate, delay, cut, restore, stats)",
                stack.state().wan_control
            ),
        ];
        for (device, listen) in self.devices.iter().zip(&self.device_http) {
            lines.push(format!("device {}       http://{listen}/metrics", device.name));
        }
        for (operator, listen) in (1..=self.case.operators).zip(&self.replica_http) {
            lines.push(format!("replica of v{operator}     http://{listen}/metrics"));
        }
        lines.push(format!("logs              {}", self.dir.join("logs").display()));
        lines
            .push(format!("end it by         cargo xtask stack down --dir {}", self.dir.display()));
        lines.join("\n  ")
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.dir.join(name);
        fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
        Ok(path)
    }
}

fn is_ok(address: SocketAddr, path: &str) -> Result<bool> {
    Ok(http::get(address, path)?.status == 200)
}
