//! A cloud and three devices that only links join, from nothing to a verdict: started in some order, a route switched by plain JSON, an
//! edge killed, a link cut.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::checks::Checks;
use super::cloud::{Cloud, said};
use super::device::{Device, Source};
use super::engine::Engine;
use super::panels;
use crate::paths;
use crate::process::{output, run, wait_until};

/// Events of each device, and how many a second.
const EVENTS: u64 = 12_000;
const RATE: u64 = 100;
/// What a native edge without traffic may have resident.
const IDLE_BYTES: u64 = 30_000_000;
const FIRST_RESULT: Duration = Duration::from_secs(90);
/// How long it is waited for where others use the machine too.
const RESULT_PATIENCE: Duration = Duration::from_secs(300);
const SWITCH: Duration = Duration::from_secs(60);
/// How long a command gets before it is given again.
const LOOK: Duration = Duration::from_secs(8);
const CUT: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(180);
/// A broker that comes late.
const DELAY: Duration = Duration::from_secs(60);

const DEVICES: [Device; 3] = [
    device("pi-1", Source::Generator(0), 1_000_000, 20),
    device("pi-2", Source::Generator(1), 250_000, 50),
    device("pi-3", Source::Sensor(EVENTS), 125_000, 80),
];

const fn device(name: &'static str, source: Source, bytes_per_s: u64, delay_ms: u64) -> Device {
    Device { name, source, bytes_per_s, delay_ms, is_secure: false }
}

/// Parts that are started one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Cloud,
    Devices,
    Links,
}

/// In which order the parts are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    parts: [Part; 3],
    /// Whether Kafka starts long after everything else.
    late_broker: bool,
}

impl Order {
    /// Those to be tried.
    pub(super) fn all(long: bool) -> Vec<Order> {
        use Part::{Cloud, Devices, Links};
        let orders = [
            [Cloud, Devices, Links],
            [Devices, Links, Cloud],
            [Devices, Cloud, Links],
            [Links, Devices, Cloud],
            [Cloud, Links, Devices],
            [Links, Cloud, Devices],
        ];
        let order = |parts| Order { parts, late_broker: false };
        let tried = if long { 6 } else { 2 };
        let mut all: Vec<Order> = orders.into_iter().take(tried).map(order).collect();
        if long {
            all.push(Order { late_broker: true, ..all[0] });
        }
        all
    }

    /// The first of them.
    pub(super) fn first() -> Order {
        Order::all(false)[0]
    }

    pub(super) fn name(self) -> String {
        let parts = self.parts.map(|part| format!("{part:?}").to_lowercase()).join(", ");
        format!("{parts}{}", if self.late_broker { ", broker 60 s late" } else { "" })
    }
}

/// Plays it. Whatever fails, everything is taken down.
pub(super) fn play(engine: &Engine, order: Order, checks: &mut Checks) {
    let name = order.name();
    let dir = paths::target().join("compose").join(name.replace([',', ' '], ""));
    let cloud = Cloud { engine, secrets: None };
    let play = Play { engine, cloud, order, devices: &DEVICES, events: EVENTS, dir };
    let failed = checks.failed;
    let start = || play.clear().and_then(|()| play.start());
    if let Some(started) = checks.check(&format!("[{name}] starts"), start) {
        play.run(&name, started, checks);
    }
    if checks.failed > failed {
        play.save_logs();
    }
    checks.check(&format!("[{name}] is taken down"), || play.down());
}

/// A cloud and its devices.
pub(super) struct Play<'a> {
    pub(super) engine: &'a Engine,
    pub(super) cloud: Cloud<'a>,
    pub(super) order: Order,
    pub(super) devices: &'a [Device],
    /// Of each device.
    pub(super) events: u64,
    /// What containers mount, and logs.
    pub(super) dir: PathBuf,
}

impl Play<'_> {
    /// An empty folder for it.
    pub(super) fn clear(&self) -> Result<()> {
        let _ = fs::remove_dir_all(&self.dir);
        Ok(fs::create_dir_all(&self.dir)?)
    }

    pub(super) fn start(&self) -> Result<Instant> {
        for device in self.devices {
            device.write(&self.dir, self.events, RATE)?;
            if let Source::Sensor(rows) = device.source {
                write_sensor(device.name, &self.dir.join(device.name), rows)?;
            }
        }
        self.make_networks()?;
        let started = Instant::now();
        for part in self.order.parts {
            match part {
                Part::Cloud => self.start_cloud()?,
                Part::Devices => self.each(|device| {
                    run(device.compose(self.engine, &self.dir).args(device.up_without_sensor()))
                })?,
                Part::Links => {
                    self.each(|device| run(device.link(self.engine).args(["up", "--detach"])))?
                }
            }
        }
        for device in self.devices {
            let shape = || Ok(device.shape_as_told(self.engine).is_ok());
            wait_until(&format!("the link of {}", device.name), PATIENCE, shape)?;
        }
        panels::up(self.engine)?;
        self.start_sensors()?;
        Ok(started)
    }

    /// The networks of all projects, so that links can come before what they join.
    fn make_networks(&self) -> Result<()> {
        run(self.cloud().args(["up", "--no-start", "kafka"]))?;
        self.each(|device| run(device.compose(self.engine, &self.dir).args(["up", "--no-start"])))
    }

    fn start_cloud(&self) -> Result<()> {
        if self.order.late_broker {
            let mut up = self.cloud();
            up.args(["up", "--detach", "--no-deps"]).args(["registry", "artifacts", "pool"]);
            run(&mut up)?;
            thread::sleep(DELAY);
        }
        run(self.cloud().args(["up", "--detach"]))
    }

    /// Once their devices listen to mosquitto: what is sent before that reaches nobody.
    fn start_sensors(&self) -> Result<()> {
        for device in self.devices {
            if !matches!(device.source, Source::Sensor(_)) {
                continue;
            }
            wait_until(&format!("{} at its source", device.name), PATIENCE, || {
                let connected = device.metric(self.engine, "sluice_edge_source_connected", "");
                Ok(connected.is_ok_and(|connected| connected == 1.0))
            })?;
            run(device.compose(self.engine, &self.dir).args(["up", "--detach"]))?;
        }
        Ok(())
    }

    /// Does something with all devices at once.
    fn each(&self, work: impl Fn(&Device) -> Result<()> + Sync) -> Result<()> {
        thread::scope(|scope| {
            let work = &work;
            let threads = self.devices.iter().map(|device| scope.spawn(move || work(device)));
            let threads: Vec<_> = threads.collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("no panic with a device"))
        })
    }

    fn cloud(&self) -> Command {
        let names: Vec<_> = self.devices.iter().map(|device| device.name).collect();
        self.cloud.compose(&names.join(" "))
    }

    fn run(&self, name: &str, started: Instant, checks: &mut Checks) {
        let [first, second, third] = &DEVICES;
        let engine = self.engine;
        let mut check = |what: &str, run: &mut dyn FnMut() -> Result<()>| {
            checks.check(&format!("[{name}] {what}"), run).is_some()
        };
        if !check("windows have results", &mut || self.has_results(started)) {
            return;
        }
        check("a route is switched by plain JSON", &mut || {
            for (device, plan, cut) in
                [(first, r#"{"cut":2}"#, "2"), (third, r#"{"shares":{"0":500,"3":500}}"#, "3")]
            {
                let line = format!("q1/readings/{}/manual|{plan}", device.name);
                let label = format!("cut=\"{cut}\"");
                let dispatched = || {
                    let events =
                        device.metric(engine, "sluice_edge_dispatched_events_total", &label);
                    Ok(events.is_ok_and(|events| events > 0.0))
                };
                // A device refuses what it has no files for yet, so the command is given until it is in force.
                let deadline = Instant::now() + SWITCH;
                loop {
                    self.cloud.send_raw(&line)?;
                    let waited =
                        wait_until(&format!("{} at cut {cut}", device.name), LOOK, dispatched);
                    if waited.is_ok() || Instant::now() > deadline {
                        waited?;
                        break;
                    }
                }
            }
            Ok(())
        });
        check("an edge that is killed is started again", &mut || {
            first.crash(engine)?;
            wait_until("its restart", PATIENCE, || Ok(first.restarts(engine)? > 0))?;
            wait_until("its health", PATIENCE, || Ok(first.health(engine)? == "healthy"))
        });
        check("a link is cut for 30 s while events are accepted", &mut || {
            let accepted = || second.metric(engine, "sluice_edge_accepted_events_total", "");
            let before = accepted()?;
            second.shape(engine, &["cut broker", "cut artifacts"])?;
            thread::sleep(CUT);
            let during = accepted()?;
            second.shape(engine, &["restore broker", "restore artifacts"])?;
            let most = CUT.as_secs_f64() * RATE as f64;
            ensure!(during - before > most / 2.0, "{} events were accepted", during - before);
            Ok(())
        });
        check("every panel and every alert can be evaluated", &mut || {
            panels::check(engine, first.name)
        });
        check("windows equal those of the unsplit job", &mut || self.verify());
        check("an idle edge is small", &mut || {
            let bytes = self.cloud.idle_edge_bytes()?;
            println!("  {:.1} MB resident", bytes as f64 / 1e6);
            ensure!(bytes <= IDLE_BYTES, "more than {} MB", IDLE_BYTES / 1_000_000);
            Ok(())
        });
        check("nothing runs with more rights than it should", &mut || self.are_confined());
    }

    /// Waits for the first result. How soon it came is printed beside its bar: a test that fails for the load of its machine
    /// says nothing.
    pub(super) fn has_results(&self, started: Instant) -> Result<()> {
        wait_until("a result", RESULT_PATIENCE, || self.cloud.has_records("results"))?;
        let late = if self.order.late_broker { DELAY } else { Duration::ZERO };
        println!(
            "  the first after {:.0} s; on a machine that does nothing else at most {:.0} s",
            started.elapsed().as_secs_f64(),
            (FIRST_RESULT + late).as_secs_f64()
        );
        Ok(())
    }

    pub(super) fn verify(&self) -> Result<()> {
        for device in self.devices {
            wait_until(&format!("the end of {}", device.name), PATIENCE, || {
                let read = |name| device.metric(self.engine, name, "").unwrap_or_default();
                let is_played = match device.source {
                    Source::Generator(_) => read("sluice_edge_source_done") == 1.0,
                    Source::Sensor(rows) => read("sluice_edge_accepted_events_total") > rows as f64,
                };
                Ok(is_played && read("sluice_edge_backlog_events") == 0.0)
            })?;
        }
        for (partition, device) in self.devices.iter().enumerate() {
            let partition = partition.to_string();
            let mut feed = match device.source {
                Source::Generator(number) => {
                    let (count, number) = (self.events.to_string(), number.to_string());
                    self.cloud.sluice(&[
                        "feed",
                        "--topic",
                        "lines",
                        "--partition",
                        &partition,
                        "--generator",
                        "q1",
                        "--seed",
                        "1",
                        "--device",
                        &number,
                        "--count",
                        &count,
                        "--closing",
                    ])
                }
                Source::Sensor(_) => self.cloud.sluice_with(
                    &self.dir.join(device.name).join("lines"),
                    &["feed", "--topic", "lines", "--partition", &partition, "--file", "/lines"],
                ),
            };
            said(&mut feed)?;
        }
        said(&mut self.cloud.sluice(&["topic", "create", "expected", "--partitions", "1"]))?;
        self.cloud.run_unsplit(&self.dir.join("unsplit.log"))?;
        let mut verify = self.cloud.sluice(&["verify", "q1", "--actual", "results"]);
        verify.args(["--expected", "expected", "--ignore-prefix", "99-", "--wait", "60"]);
        let found =
            verify.stderr(Stdio::inherit()).output().context("can't start sluice verify")?;
        let text = String::from_utf8_lossy(&found.stdout);
        println!("  {}", text.trim_end().replace('\n', "\n  "));
        ensure!(found.status.success(), "no pass");
        Ok(())
    }

    /// As the engine runs them: no container as root, none with a capability.
    fn are_confined(&self) -> Result<()> {
        let running = output(&mut self.engine.docker(["ps", "--quiet"]))?;
        for id in running.split_whitespace() {
            let name = self.engine.inspect(id, "{{.Name}}")?;
            let pid = self.engine.inspect(id, "{{.State.Pid}}")?;
            let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
            let field = |key: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(key));
                line.map(|line| line.split_whitespace().next().unwrap_or_default().to_owned())
            };
            let (user, rights) = (field("Uid:"), field("CapBnd:"));
            ensure!(user.as_deref() != Some("0"), "{name} runs as root");
            ensure!(
                rights.as_deref() == Some("0000000000000000"),
                "{name} may have capabilities: {rights:?}"
            );
        }
        Ok(())
    }

    pub(super) fn save_logs(&self) {
        let mut lines = vec![format!("  logs are in {}", self.dir.display())];
        if let Err(error) = self.cloud.save_logs(&self.dir.join("cloud.log")) {
            lines.push(format!("  {error:#}"));
        }
        for device in self.devices {
            let saved = fs::File::create(self.dir.join(format!("{}.log", device.name)))
                .map_err(Into::into)
                .and_then(|log| {
                    let mut logs = device.compose(self.engine, &self.dir);
                    run(logs.args(["logs", "--no-color"]).stdout(log))
                });
            if let Err(error) = saved {
                lines.push(format!("  {error:#}"));
            }
        }
        println!("{}", lines.join("\n"));
    }

    pub(super) fn down(&self) -> Result<()> {
        panels::down(self.engine)?;
        self.each(|device| device.down(self.engine, &self.dir))?;
        run(self.cloud().args(["down", "--volumes", "--timeout", "5"]))
    }
}

/// The sensor's scripts, and the rows that it plays: those that it would make up, and one that ends its stream.
fn write_sensor(device: &str, dir: &Path, rows: u64) -> Result<()> {
    let scripts = paths::root().join("compose/edge/sensor");
    for name in ["run", "rows.awk"] {
        fs::copy(scripts.join(name), dir.join(name))?;
    }
    let mut awk = Command::new("awk");
    // As many a day as the generator's devices send: event time that only one device reaches closes no window.
    awk.args(["-v", "sites=80", "-v"]).arg(format!("device={device}"));
    awk.arg("-f").arg(scripts.join("rows.awk"));
    let mut awk = awk.stdout(Stdio::piped()).spawn().context("can't start awk")?;
    let made = awk.stdout.take().context("it has no output")?;
    let lines = std::io::BufRead::lines(std::io::BufReader::new(made));
    let mut lines = lines.take(rows as usize).collect::<std::io::Result<Vec<String>>>()?;
    awk.kill()?;
    awk.wait()?;
    let last = lines.last().context("no rows")?.clone();
    let mut columns: Vec<&str> = last.split(',').collect();
    // A station of its own, long after all others: its week closes theirs.
    for (column, value) in [(0, "\"99\""), (1, "\"999\""), (2, "\"9999\""), (11, "\"2020-01-01\"")]
    {
        columns[column] = value;
    }
    lines.push(columns.join(","));
    Ok(fs::write(dir.join("lines"), lines.join("\n") + "\n")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_tried_at_full_length() {
        assert_eq!(Order::all(false).len(), 2);
        let all = Order::all(true);
        assert_eq!(all.len(), 7);
        assert_eq!(all[0].name(), "cloud, devices, links");
        assert!(all[6].late_broker);
        for order in &all {
            for part in [Part::Cloud, Part::Devices, Part::Links] {
                assert!(order.parts.contains(&part));
            }
        }
    }

    #[test]
    fn the_sensor_ends_with_a_row_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        write_sensor("pi-3", dir.path(), 50).unwrap();
        let lines = fs::read_to_string(dir.path().join("lines")).unwrap();
        assert_eq!(lines.lines().count(), 51);
        assert!(lines.lines().all(|line| line.split(',').count() == 29));
        assert!(lines.lines().last().unwrap().starts_with("\"99\",\"999\",\"9999\""));
    }
}
