//! The configuration of a device.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sluice_kafka::Properties;
use sluice_model::DeviceId;
use sluice_runtime::config::{Config, Section};
use sluice_spool::{FullPolicy, Mode, Options};

use crate::machine::Limits;

/// All settings of a device.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who it is.
    pub device: DeviceId,
    /// Where its spools and deployments lie.
    pub data_dir: PathBuf,
    /// How long a stop may take to drain, milliseconds.
    pub stop_grace_ms: u64,
    /// librdkafka's properties.
    pub kafka: Properties,
    /// Where the admin HTTP server listens.
    pub listen: SocketAddr,
    /// How each input's spool is kept; its folder is set per input.
    pub spool: Options,
    /// Bounds of dispatch.
    pub limits: Limits,
    /// The time between records of telemetry.
    pub telemetry_every: Duration,
    /// Where the host and the files of jobs are.
    pub jvm: sluice_jvm::Settings,
    /// Its sources by name.
    pub sources: BTreeMap<String, sluice_sources::Settings>,
}

impl Settings {
    /// Reads the file at `path` and the variables of this process.
    ///
    /// # Errors
    /// One error with every problem (exit code 64).
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Self::read(Config::load(path)?)
    }

    fn read(mut config: Config) -> anyhow::Result<Self> {
        let device = config.section("device");
        let id = device.required::<DeviceId>("id");
        let data_dir = device.required::<PathBuf>("data_dir");
        let stop_grace_ms = device.or("stop_grace_ms", 10_000);
        drop(device);

        let http = config.section("http");
        let listen = http.or("listen", SocketAddr::from(([127, 0, 0, 1], 9464)));
        drop(http);

        let spool = spool(&config.section("spool"));
        let limits = limits(&config.section("dispatch"));
        let telemetry = config.section("telemetry");
        let every_ms: u64 = telemetry.or("every_ms", 1_000);
        if every_ms == 0 {
            telemetry.problem("every_ms", "must be above 0");
        }
        drop(telemetry);
        let mut sources = BTreeMap::new();
        for section in config.sections("sources") {
            let source = sluice_sources::Settings::read(&section);
            let name = section.required::<String>("name");
            if let (Some(name), Some(source)) = (name, source)
                && sources.insert(name.clone(), source).is_some()
            {
                section.problem("name", format!("`{name}` is used twice"));
            }
        }
        let jvm = sluice_jvm::Settings::read(&mut config, data_dir.as_deref());
        let kafka = config.kafka();
        config.finish()?;
        let missing = || anyhow::anyhow!("a missing setting was not reported");
        Ok(Self {
            device: id.ok_or_else(missing)?,
            data_dir: data_dir.ok_or_else(missing)?,
            stop_grace_ms,
            kafka,
            listen,
            spool,
            limits,
            telemetry_every: Duration::from_millis(every_ms),
            jvm,
            sources,
        })
    }
}

fn spool(section: &Section) -> Options {
    let d = Options::new(PathBuf::new());
    let mode = match section.one_of("mode", &["disk", "spill", "memory"], "disk") {
        "spill" => Mode::Spill,
        "memory" => Mode::Memory,
        _ => Mode::Disk,
    };
    let full_policy = match section.one_of("full_policy", &["block", "drop-oldest"], "block") {
        "drop-oldest" => FullPolicy::DropOldest,
        _ => FullPolicy::Block,
    };
    let sync_ms = section.or("min_sync_interval_ms", 10);
    let options = Options {
        mode,
        full_policy,
        max_bytes: section.or("max_bytes", d.max_bytes),
        memory_bytes: section.or("memory_bytes", d.memory_bytes),
        segment_bytes: section.or("segment_bytes", d.segment_bytes),
        min_sync_interval: Duration::from_millis(sync_ms),
        ..d
    };
    for (key, bytes) in [("max_bytes", options.max_bytes), ("memory_bytes", options.memory_bytes)] {
        if bytes < 1 << 20 {
            section.problem(key, format!("{bytes} is too small; at least 1 MiB is needed"));
        }
    }
    options
}

fn limits(section: &Section) -> Limits {
    let d = Limits::default();
    Limits {
        linger_ms: section.or("linger_ms", d.linger_ms),
        frame_bytes: section.or("frame_bytes", d.frame_bytes),
        frame_events: section.or("frame_events", d.frame_events),
        in_flight_bytes: (
            section.or("in_flight_bytes_min", d.in_flight_bytes.0),
            section.or("in_flight_bytes_max", d.in_flight_bytes.1),
        ),
        drain_bytes_per_s: section.optional("drain_bytes_per_s"),
        path_timeout_ms: section.or("path_timeout_ms", d.path_timeout_ms),
        ..d
    }
    .checked(section)
}

impl Limits {
    fn checked(self, section: &Section) -> Self {
        let (least, most) = self.in_flight_bytes;
        if least > most || least == 0 {
            section.problem("in_flight_bytes_min", format!("{least} is not within 1..{most}"));
        }
        for (key, ok) in [
            ("linger_ms", self.linger_ms >= 0),
            ("frame_bytes", self.frame_bytes > 0),
            ("frame_events", (1..=1 << 20).contains(&self.frame_events)),
            ("path_timeout_ms", self.path_timeout_ms > 0),
        ] {
            if !ok {
                section.problem(key, "out of bounds");
            }
        }
        // The defaults keep a wrong pair from reaching `clamp` while the other problems are collected.
        if least > most { Self::default() } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Settings> {
        Settings::read(Config::parse(text, "edge.toml", std::iter::empty())?)
    }

    const GOOD: &str = r#"
        [device]
        id = "pi-1"
        data_dir = "data"
        [kafka]
        "bootstrap.servers" = "127.0.0.1:29092"
        [[sources]]
        name = "replay"
        generator = "q1"
        rate = 100
    "#;

    #[test]
    fn defaults_fill_what_is_not_said() {
        let settings = read(GOOD).unwrap();
        assert_eq!(settings.spool.max_bytes, 1 << 30);
        assert_eq!(settings.listen.port(), 9464);
        assert!(settings.sources.contains_key("replay"));
    }

    #[test]
    fn every_problem_is_named() {
        let text = r#"
            [device]
            id = "Pi 1"
            [dispatch]
            in_flight_bytes_min = 9
            in_flight_bytes_max = 8
            [[sources]]
            name = "a"
            kind = "replay"
            generator = "q9"
        "#;
        let error = read(text).unwrap_err().to_string();
        for part in [
            "device.id: ",
            "device.data_dir: missing",
            "dispatch.in_flight_bytes_min: ",
            "sources[0].generator: `q9`",
            "kafka.bootstrap.servers: missing",
        ] {
            assert!(error.contains(part), "{part} not in {error}");
        }
    }
}
