//! The cloud's compose project, as a test looks at it.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::engine::{Engine, container};
use super::images::VERSION;
use crate::process::{Identity, output, run, wait_until};

pub(super) const PROJECT: &str = "sluice-cloud";
/// The cloud's name on the devices' side of their links.
pub(super) const NAME: &str = "cloud";
const NETWORK: &str = "sluice-cloud_default";
const IDLE_EDGE: Duration = Duration::from_secs(60);
const UNSPLIT: Duration = Duration::from_secs(180);

/// The cloud.
#[derive(Clone, Copy)]
pub(super) struct Cloud<'a> {
    pub(super) engine: &'a Engine,
    /// What `sluice certificates` made, where devices must say who they are.
    pub(super) secrets: Option<&'a Path>,
}

impl Cloud<'_> {
    /// Compose for the cloud, with the example and these devices.
    pub(super) fn compose(&self, devices: &str) -> Command {
        let files: &[&str] =
            if self.secrets.is_some() { &["cloud.yml", "secure.yml"] } else { &["cloud.yml"] };
        let mut compose = self.engine.compose(PROJECT, files);
        compose.args(["--profile", "example"]);
        compose.env("CLOUD", NAME).env("DEVICES", devices).env("SOURCE", "readings");
        // A link that is cut for 30 s, and what it takes to come back, is no idle device here: its events would be late.
        compose.env("IDLE_AFTER", "120s");
        if let Some(secrets) = self.secrets {
            compose.env("SECRETS", secrets);
        }
        compose
    }

    /// A `sluice` beside the cloud's services.
    pub(super) fn sluice(&self, arguments: &[&str]) -> Command {
        let mut sluice = self.cli(&[]);
        sluice.arg(image()).args(arguments);
        sluice
    }

    /// The same with the file at `path` to read, as `/lines`.
    pub(super) fn sluice_with(&self, path: &Path, arguments: &[&str]) -> Command {
        let mut sluice = self.cli(&["--volume", &format!("{}:/lines:ro", path.display())]);
        sluice.arg(image()).args(arguments);
        sluice
    }

    fn cli(&self, options: &[&str]) -> Command {
        let mut cli =
            self.engine.docker(["run", "--rm", "--network", NETWORK, "--cap-drop", "ALL"]);
        cli.args(["--env", "SLUICE_BROKERS=kafka:9092"]).args(options);
        cli
    }

    /// The job whole, in plain Flink, over the topic `lines` to its end.
    pub(super) fn run_unsplit(&self, log: &Path) -> Result<()> {
        let name = "sluice-unsplit";
        let mut unsplit = self.cli(&["--name", name, "--entrypoint", "/usr/lib/jre/bin/java"]);
        unsplit.arg(image()).args(["-Xmx512m", "-XX:+UseSerialGC"]);
        for package in ["lang", "net", "nio", "time", "util", "util.concurrent"] {
            unsplit.arg(format!("--add-opens=java.base/java.{package}=ALL-UNNAMED"));
        }
        unsplit.args(["-cp", "/usr/share/sluice/q1.jar:/usr/share/sluice/flink/*"]);
        unsplit.args(["dev.sluice.examples.q1.AirQualityJob", "--brokers", "kafka:9092"]);
        unsplit.args(["--input", "lines", "--output", "expected", "--group", "unsplit"]);
        unsplit.args(["--parallelism", "3", "--bounded", "true"]);
        let log = File::create(log)?;
        let mut child = unsplit.stdout(log.try_clone()?).stderr(log).spawn()?;
        let mut status = None;
        let ended = wait_until("the unsplit job's end", UNSPLIT, || {
            status = child.try_wait()?;
            Ok(status.is_some())
        });
        if ended.is_err() {
            said(&mut self.engine.docker(["rm", "--force", name]))?;
            child.wait()?;
        }
        ended?;
        ensure!(status.is_some_and(|status| status.success()), "the unsplit job failed");
        Ok(())
    }

    /// Whether a topic holds anything.
    pub(super) fn has_records(&self, topic: &str) -> Result<bool> {
        let mut tail = self.sluice(&["tail", topic, "--from", "beginning", "--count", "1"]);
        let said = tail.stderr(Stdio::null()).output()?;
        Ok(said.status.success() && !said.stdout.is_empty())
    }

    /// Puts `KEY|JSON` on the control topic, with Kafka's own console producer.
    pub(super) fn send_raw(&self, line: &str) -> Result<()> {
        let kafka = container(self.engine, PROJECT, "kafka")?;
        let mut producer = self.engine.docker(["exec", "--interactive", &kafka]);
        producer.args(["/opt/kafka/bin/kafka-console-producer.sh", "--bootstrap-server"]);
        producer.args(["kafka:9092", "--topic", "sluice.control"]);
        producer.args(["--property", "parse.key=true", "--property", "key.separator=|"]);
        let mut child = producer.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut input = child.stdin.take().context("it has no input")?;
        writeln!(input, "{line}")?;
        drop(input);
        ensure!(child.wait()?.success(), "the console producer failed");
        Ok(())
    }

    /// Memory that a native edge without an input has resident once it knows what is deployed, bytes.
    pub(super) fn idle_edge_bytes(&self) -> Result<u64> {
        let mut edge =
            self.engine.docker(["run", "--detach", "--network", NETWORK, "--cap-drop", "ALL"]);
        edge.args(["--env", "SLUICE_DEVICE__ID=idle"]);
        edge.args(["--env", "SLUICE_KAFKA__BOOTSTRAP_SERVERS=kafka:9092"]);
        let id = said(edge.arg(format!("sluice/edge:{VERSION}")))?;
        let healthy = wait_until("an idle edge", IDLE_EDGE, || {
            Ok(self.engine.inspect(&id, "{{.State.Health.Status}}")? == "healthy")
        });
        let bytes = healthy.and_then(|()| {
            let pid = self.engine.inspect(&id, "{{.State.Pid}}")?.parse()?;
            Identity::of(pid)?.resident_bytes().context("it has ended")
        });
        said(&mut self.engine.docker(["rm", "--force", &id]))?;
        bytes
    }

    /// Everything that the cloud's containers said.
    pub(super) fn save_logs(&self, to: &Path) -> Result<()> {
        let log = File::create(to)?;
        run(self.compose("").args(["logs", "--no-color"]).stdout(log))
    }
}

/// Where a container listens, as this machine reaches it.
pub(super) fn address(
    engine: &Engine,
    container: &str,
    network: &str,
    port: u16,
) -> Result<SocketAddr> {
    let template = format!(
        "{{{{with index .NetworkSettings.Networks \"{network}\"}}}}{{{{.IPAddress}}}}{{{{end}}}}"
    );
    let ip = engine.inspect(container, &template)?;
    Ok(SocketAddr::new(ip.parse().with_context(|| format!("no address in {network}"))?, port))
}

fn image() -> String {
    format!("sluice/cli:{VERSION}")
}

/// What a command of `sluice` says.
pub(super) fn said(command: &mut Command) -> Result<String> {
    Ok(output(command)?.trim().to_owned())
}
