//! A cloud that speaks TLS to its devices and wants to know who they are, from certificates to a verdict.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::checks::Checks;
use super::cloud::{self, Cloud};
use super::device::{Device, Source};
use super::engine::Engine;
use super::images::VERSION;
use super::scenario::{Order, Play};
use crate::process::{output, run};
use crate::{cargo, paths};

/// Its name among the plays.
pub(super) const NAME: &str = "secure";
const EVENTS: u64 = 6_000;
const DEVICE: Device = Device {
    name: "pi-1",
    source: Source::Generator(0),
    bytes_per_s: 1_000_000,
    delay_ms: 20,
    is_secure: true,
};

/// Plays it. Whatever fails, everything is taken down.
pub(super) fn play(engine: &Engine, checks: &mut Checks) {
    let dir = paths::target().join("compose/secure");
    let secrets = dir.join("secrets");
    let cloud = Cloud { engine, secrets: Some(&secrets) };
    let devices = [DEVICE];
    let play = Play {
        engine,
        cloud,
        order: Order::first(),
        devices: &devices,
        events: EVENTS,
        dir: dir.clone(),
    };
    let failed = checks.failed;
    let start = || {
        play.clear()?;
        make_certificates(&secrets)?;
        play.start()
    };
    if let Some(started) = checks.check("[secure] starts", start) {
        checks.check("[secure] windows have results", || play.has_results(started));
        checks.check("[secure] only who proves its name is let in", || {
            only_who_proves_its_name_is_let_in(engine, &secrets)
        });
        checks.check("[secure] windows equal those of the unsplit job", || play.verify());
        checks.check("[secure] no secret stands in a log or a setting", || {
            no_secret_is_told(engine, &secrets)
        });
    }
    if checks.failed > failed {
        play.save_logs();
    }
    checks.check("[secure] is taken down", || play.down());
}

fn make_certificates(secrets: &Path) -> Result<()> {
    let mut certificates = Command::new(cargo::program("sluice"));
    certificates.arg("certificates").arg("--dir").arg(secrets).args(["--name", cloud::NAME]);
    run(certificates.args(["--user", DEVICE.name]).stdout(std::process::Stdio::null()))
}

/// As a device, through its link.
fn only_who_proves_its_name_is_let_in(engine: &Engine, secrets: &Path) -> Result<()> {
    let password = fs::read_to_string(secrets.join("users").join(DEVICE.name))?;
    let plain = "";
    let unproven = "security.protocol=SSL\nssl.ca.location=/ca\n";
    let trusting = "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=pi-1\n";
    let with = |ca: &str, password: &str| format!("{trusting}{ca}sasl.password={password}\n");
    let ca = "ssl.ca.location=/ca\n";
    let ping = |properties: &str| -> Result<bool> {
        let file = secrets.with_file_name("ping.properties");
        fs::write(&file, properties)?;
        let network = format!("{}_default", DEVICE.name);
        let mut ping = engine.docker(["run", "--rm", "--cap-drop", "ALL", "--network", &network]);
        ping.arg("--volume").arg(format!("{}:/properties:ro", file.display()));
        ping.arg("--volume").arg(format!("{}:/ca:ro", secrets.join("ca.pem").display()));
        ping.arg(format!("sluice/cli:{VERSION}")).args(["--kafka-file", "/properties"]);
        ping.args(["ping", "--brokers", &format!("{}:29092", cloud::NAME)]);
        let output = ping.output().context("can't start docker")?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(!text.contains(&password), "it says the password");
        Ok(output.status.success())
    };
    ensure!(ping(&with(ca, &password))?, "the device itself is refused");
    for (who, properties) in [
        ("who speaks no TLS", plain),
        ("who gives no name", unproven),
        ("who does not know the password", &with(ca, "guess")),
    ] {
        if ping(properties)? {
            bail!("{who} is let in");
        }
    }
    ensure!(
        !ping(&with("", &password))?,
        "a device trusts a broker of an authority it does not know"
    );
    Ok(())
}

/// Neither in what containers said, nor in what the engine tells of them.
fn no_secret_is_told(engine: &Engine, secrets: &Path) -> Result<()> {
    let password = fs::read_to_string(secrets.join("users").join(DEVICE.name))?;
    let containers = output(&mut engine.docker(["ps", "--all", "--quiet"]))?;
    let mut looked_at = 0;
    for id in containers.split_whitespace() {
        let name = engine.inspect(id, "{{.Name}}")?;
        let logs = engine.docker(["logs", id]).output().context("can't start docker")?;
        let inspected = output(&mut engine.docker(["inspect", id]))?;
        let said = [logs.stdout, logs.stderr, inspected.into_bytes()].concat();
        let said = String::from_utf8_lossy(&said);
        for secret in [&*password, "PRIVATE KEY"] {
            ensure!(!said.contains(secret), "{name} tells a secret");
        }
        looked_at += 1;
    }
    ensure!(looked_at > 10, "only {looked_at} containers");
    Ok(())
}
