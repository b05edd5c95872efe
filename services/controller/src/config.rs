//! The configuration of a controller.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use sluice_artifacts::Limits;
use sluice_kafka::Properties;
use sluice_policy::{Hull, HullSettings, LinkBudget, Policy, Prices, Reference, ReferenceSettings};
use sluice_runtime::config::{Config, Section};

use crate::core::{Fleet, Rules};

/// The time between decisions under the paper's heuristic, as in the paper, milliseconds.
const REFERENCE_EVERY_MS: i64 = 600_000;

/// Which policy decides, with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Choice {
    Hull(HullSettings),
    Reference(ReferenceSettings),
}

/// The store of jobs' files.
#[derive(Debug, Clone)]
pub struct ArtifactSettings {
    /// Where they lie.
    pub dir: PathBuf,
    /// How large they may get.
    pub limits: Limits,
}

/// All settings of a controller.
#[derive(Debug, Clone)]
pub struct Settings {
    rules: Rules,
    choice: Choice,
    /// Where the HTTP server listens.
    pub listen: SocketAddr,
    /// What clients must send as `Authorization: Bearer TOKEN`; none without one.
    pub token: Option<String>,
    /// Devices that `/metrics` has series of.
    pub metrics_devices: usize,
    /// The artifact store; none without a folder.
    pub artifacts: Option<ArtifactSettings>,
    /// librdkafka's properties.
    pub kafka: Properties,
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
        let controller = config.section("controller");
        let is_reference =
            controller.one_of("policy", &["hull", "reference"], "hull") == "reference";
        let default = Rules::default();
        let every_ms = if is_reference { REFERENCE_EVERY_MS } else { default.decide_every_ms };
        let mut rules = Rules {
            name: controller.or("name", default.name),
            decide_every_ms: controller.or("decide_every_ms", every_ms),
            observe_every_ms: controller.or("observe_every_ms", default.observe_every_ms),
            stale_after_ms: controller.or("stale_after_ms", default.stale_after_ms),
            confirm_within_ms: controller.or("confirm_within_ms", default.confirm_within_ms),
            history: controller.or("history", default.history),
            ..Rules::default()
        };
        for (key, ms) in [
            ("decide_every_ms", rules.decide_every_ms),
            ("observe_every_ms", rules.observe_every_ms),
            ("stale_after_ms", rules.stale_after_ms),
            ("confirm_within_ms", rules.confirm_within_ms),
        ] {
            if ms < 1 {
                controller.problem(key, "must be above 0");
            }
        }
        drop(controller);
        for section in config.sections("targets") {
            let (input, rate) = (section.required::<String>("of"), section.required::<f64>("rate"));
            rules.targets.extend(input.zip(rate));
        }
        let hull = hull(&config.section("hull"));
        let reference = reference(&config.section("reference"));

        let http = config.section("http");
        let listen = http.or("listen", SocketAddr::from(([127, 0, 0, 1], 8080)));
        let token = http.optional::<String>("token").filter(|token| !token.is_empty());
        let metrics_devices = http.or("metrics_devices", 2_000);
        drop(http);

        let artifacts = artifacts(&config.section("artifacts"));
        let kafka = config.kafka();
        config.finish()?;
        let choice = if is_reference { Choice::Reference(reference) } else { Choice::Hull(hull) };
        Ok(Self { rules, choice, listen, token, metrics_devices, artifacts, kafka })
    }

    /// A fleet under these rules, of which nothing is known.
    #[must_use]
    pub fn fleet(&self) -> Fleet {
        let policy: Box<dyn Policy> = match self.choice {
            Choice::Hull(settings) => Box::new(Hull::new(settings)),
            Choice::Reference(settings) => Box::new(Reference::new(settings)),
        };
        Fleet::new(self.rules.clone(), policy)
    }

    /// The name of the policy.
    #[must_use]
    pub fn policy_name(&self) -> &'static str {
        match self.choice {
            Choice::Hull(_) => "hull",
            Choice::Reference(_) => "reference",
        }
    }
}

fn hull(section: &Section) -> HullSettings {
    let d = HullSettings::default();
    HullSettings {
        headroom: section.or("headroom", d.headroom),
        dead_band: section.or("dead_band", d.dead_band),
        least_saving: section.or("least_saving", d.least_saving),
        dwell_ms: section.or("dwell_ms", d.dwell_ms),
        step_up: section.or("step_up", d.step_up),
        prices: Prices {
            per_gigabyte: section.optional("price_per_gigabyte"),
            per_core_hour: section.or("price_per_core_hour", d.prices.per_core_hour),
        },
        budget: section
            .optional("megabytes_per_day")
            .map(|megabytes_per_day| LinkBudget { megabytes_per_day }),
        ..d
    }
}

fn reference(section: &Section) -> ReferenceSettings {
    let d = ReferenceSettings::default();
    ReferenceSettings { high_backpressure: section.or("high_backpressure", d.high_backpressure) }
}

fn artifacts(section: &Section) -> Option<ArtifactSettings> {
    let d = Limits::default();
    let limits = Limits {
        file_bytes: section.or("max_artifact_bytes", d.file_bytes),
        total_bytes: section.or("max_bytes", d.total_bytes),
    };
    section.optional("dir").map(|dir| ArtifactSettings { dir, limits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Settings> {
        let text = format!("{text}\n[kafka]\n\"bootstrap.servers\" = \"b:1\"");
        Settings::read(Config::parse(&text, "controller.toml", std::iter::empty())?)
    }

    #[test]
    fn an_empty_file_is_enough() {
        let settings = read("").unwrap();
        assert_eq!((settings.policy_name(), settings.listen.port()), ("hull", 8080));
        assert!(settings.listen.ip().is_loopback() && settings.artifacts.is_none());
        assert_eq!(settings.rules.decide_every_ms, 10_000);
    }

    #[test]
    fn the_reference_takes_the_paper_s_time() {
        let settings = read("[controller]\npolicy = \"reference\"").unwrap();
        assert_eq!(settings.rules.decide_every_ms, 600_000);
    }

    #[test]
    fn a_target_is_of_an_input_or_a_device() {
        let settings = read("[[targets]]\nof = \"q1/readings\"\nrate = 1000").unwrap();
        assert_eq!(settings.rules.targets["q1/readings"], 1000.0);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = "[controller]\npolicy = \"best\"\ndecide_every_ms = 0\n[hull]\nheadrom = 1.5\n[[targets]]\nof = \"q1\"";
        let error = read(text).unwrap_err().to_string();
        for part in [
            "controller.policy: `best`",
            "controller.decide_every_ms: must",
            "hull.headrom: unknown",
            "targets[0].rate: missing",
        ] {
            assert!(error.contains(part), "{part} not in {error}");
        }
    }
}
