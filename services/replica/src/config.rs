//! The configuration of a replica process.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use sluice_kafka::Properties;
use sluice_runtime::config::Config;

use crate::core::Limits;
use crate::serve::Serve;

/// All settings of a replica process.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which stages it serves.
    pub serve: Vec<Serve>,
    /// Bounds of each worker.
    pub limits: Limits,
    /// The time between commits.
    pub commit_interval: Duration,
    /// How long a stop may take to deliver what is in flight.
    pub stop_grace: Duration,
    /// Where the host and the files of jobs are.
    pub jvm: sluice_jvm::Settings,
    /// librdkafka's properties.
    pub kafka: Properties,
    /// Where the admin HTTP server listens.
    pub listen: SocketAddr,
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
        let replica = config.section("replica");
        let mut serve = Vec::new();
        let entries = replica.list("serve");
        if entries.is_empty() {
            replica.problem("serve", "names no stage; give query/input/a..b, or * for all");
        }
        for entry in entries {
            match entry.parse::<Serve>() {
                Ok(entry) => serve.push(entry),
                Err(error) => replica.problem("serve", format!("`{entry}`: {error}")),
            }
        }
        let limits = Limits {
            in_flight_bytes: replica.or("in_flight_bytes", 8 << 20),
            // What an event may have (DESIGN section 3, Delivery), and the frame around it.
            message_bytes: replica.or("message_bytes", (7 << 20) + (64 << 10)),
        };
        for (key, bytes) in
            [("in_flight_bytes", limits.in_flight_bytes), ("message_bytes", limits.message_bytes)]
        {
            if bytes < 1024 {
                replica.problem(key, format!("{bytes} is too small; at least 1024 is needed"));
            }
        }
        let commit_interval = Duration::from_millis(replica.or("commit_interval_ms", 500));
        let stop_grace = Duration::from_millis(replica.or("stop_grace_ms", 10_000));
        drop(replica);

        let http = config.section("http");
        let listen = http.or("listen", SocketAddr::from(([127, 0, 0, 1], 9464)));
        drop(http);

        let jvm = sluice_jvm::Settings::read(&mut config, None);
        let kafka = config.kafka();
        config.finish()?;
        Ok(Self { serve, limits, commit_interval, stop_grace, jvm, kafka, listen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Settings> {
        Settings::read(Config::parse(text, "replica.toml", std::iter::empty())?)
    }

    #[test]
    fn a_short_file_is_enough() {
        let text = "[replica]\nserve = [\"*\"]\n[kafka]\n\"bootstrap.servers\" = \"b:1\"";
        let settings = read(text).unwrap();
        assert_eq!(settings.kafka["bootstrap.servers"], "b:1");
        assert_eq!(settings.listen.port(), 9464);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = "[replica]\nserve = [\"q1\"]\nin_flight_bytes = 1\nin_flight = 2\n[http]\nlisten = \"x\"";
        let error = read(text).unwrap_err().to_string();
        for part in [
            "replica.serve: `q1`",
            "replica.in_flight_bytes: 1 is too small",
            "replica.in_flight: unknown",
            "http.listen: `x`",
            "kafka.bootstrap.servers: missing",
        ] {
            assert!(error.contains(part), "{part} not in {error}");
        }
    }
}
