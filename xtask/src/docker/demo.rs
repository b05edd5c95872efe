//! `compose/demo.yml`: everything in one project, as it is started to be shown. Grafana, which has no stand-in, is left out.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::checks::Checks;
use super::cloud::address;
use super::device::metric;
use super::engine::{Engine, container};
use crate::paths;
use crate::process::{output, run, wait_until};

/// Its name among the plays.
pub(super) const NAME: &str = "demo";
const PROJECT: &str = "sluice-demo";
const DEVICES: [&str; 3] = ["pi-1", "pi-2", "pi-3"];
const PATIENCE: Duration = Duration::from_secs(300);
/// How long a command gets before it is given again: a device refuses a plan that it has no files for yet.
const LOOK: Duration = Duration::from_secs(10);

/// Plays it. Whatever fails, everything is taken down.
pub(super) fn play(engine: &Engine, checks: &mut Checks) {
    let started = Instant::now();
    if checks.check("[demo] starts", || up(engine)).is_some() {
        checks.check("[demo] windows have results", || {
            wait_until("a result", PATIENCE, || has_results(engine))?;
            println!("  the first after {:.0} s", started.elapsed().as_secs_f64());
            Ok(())
        });
        checks.check("[demo] every device is routed by the command", || {
            DEVICES.iter().try_for_each(|device| is_switched(engine, device))
        });
        checks.check("[demo] the controller sees all devices", || all_are_seen(engine));
    }
    checks.check("[demo] is taken down", || {
        run(compose(engine).args(["down", "--volumes", "--timeout", "5"]))
    });
}

fn compose(engine: &Engine) -> Command {
    let mut compose = engine.compose(PROJECT, &["demo.yml"]);
    compose.arg("--env-file").arg(paths::root().join("compose/demo.env"));
    compose
}

/// All but Grafana.
fn up(engine: &Engine) -> Result<()> {
    let services = output(compose(engine).args(["config", "--services"]))?;
    let services = services.split_whitespace().filter(|service| *service != "grafana");
    run(compose(engine).args(["up", "--detach"]).args(services))
}

/// As the docs say it.
fn sluice(engine: &Engine, arguments: &[&str]) -> Command {
    let mut sluice = compose(engine);
    sluice.args(["run", "--rm", "--no-TTY", "--no-deps", "--entrypoint", "sluice", "init"]);
    sluice.args(arguments);
    sluice
}

fn has_results(engine: &Engine) -> Result<bool> {
    let mut tail = sluice(engine, &["tail", "results", "--from", "beginning", "--count", "1"]);
    let said = tail.stderr(Stdio::null()).output()?;
    Ok(said.status.success() && !said.stdout.is_empty())
}

fn is_switched(engine: &Engine, device: &str) -> Result<()> {
    let network = format!("{PROJECT}_{device}");
    let edge = address(engine, &container(engine, PROJECT, device)?, &network, 9464)?;
    let dispatched = || {
        let events = metric(edge, "sluice_edge_dispatched_events_total", "cut=\"2\"");
        Ok(events.is_ok_and(|events| events > 0.0))
    };
    let deadline = Instant::now() + PATIENCE;
    loop {
        output(&mut sluice(engine, &["route", &format!("q1/readings/{device}"), "--cut", "2"]))?;
        let waited = wait_until(&format!("{device} at cut 2"), LOOK, dispatched);
        if waited.is_ok() || Instant::now() > deadline {
            return waited;
        }
    }
}

fn all_are_seen(engine: &Engine) -> Result<()> {
    let controller = container(engine, PROJECT, "controller")?;
    let controller = address(engine, &controller, &format!("{PROJECT}_default"), 8080)?;
    for device in DEVICES {
        let label = format!("device=\"{device}\"");
        let accepted =
            metric(controller, "sluice_controller_device_accepted_events_total", &label)?;
        ensure!(accepted > 0.0, "{device} has accepted nothing");
    }
    Ok(())
}
